package lowrank

import (
	"context"
	"encoding"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// sketchPass streams the triangular factor of K(·, rows)·Ĉ, or of K(·, rows)
// when signs is nil.
type sketchPass struct {
	tiles *tiles
	signs *sketch.SparseSign
	rows  *panel
}

func (p sketchPass) factor() *sketch.QR {
	if p.signs == nil {
		return sketch.NewQR(p.rows.rows.Rows)
	}
	return sketch.NewQR(p.signs.Cols)
}

// folded is a triangular factor under way.
type folded interface {
	Add(block blas64.General) error
}

// adder returns the function that adds a block to a factor.
func (p sketchPass) adder(name string) func(folded, *stream.Block) error {
	m := p.tiles.embedder(&Embedding{Signs: p.signs}, p.rows, name)
	return func(qr folded, b *stream.Block) error {
		for first, x := range b.Panels(stream.PanelRows) {
			y, err := m.raw(x, b.Start+int64(first))
			if err != nil {
				return err
			}
			if err := qr.Add(y); err != nil {
				return err
			}
		}
		return nil
	}
}

// rangeAccumulator is what a pass folds the rows of a sketch into.
type rangeAccumulator[A any] interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	folded
	Merge(later A) error
	Reset()
}

// ranged is what a pass that finds a range folds rows into: the range, tr(A), rows of high
// leverage.
type ranged[A rangeAccumulator[A]] = sketch.Both[A, *sketch.Both[*sketch.ColumnSums, *sketch.Priority]]

func newRanged[A rangeAccumulator[A]](found A, keep, columns int) *ranged[A] {
	return &ranged[A]{A: found, B: &sketch.Both[*sketch.ColumnSums, *sketch.Priority]{A: sketch.NewColumnSums(1), B: sketch.NewPriority(keep, columns)}}
}

// streamRange makes the pass over rows, and returns the range and the rows that s finds. With
// trace A is symmetric, and tr(A) is summed as well.
func streamRange[A rangeAccumulator[A]](ctx context.Context, e stream.Engine, p sketchPass, src stream.Source, trace bool, s *scout, newRange func() A) (*ranged[A], error) {
	name, columns := src.Info().Name, p.rows.rows.Cols
	newState := func() *ranged[A] { return newRanged(newRange(), s.keep, columns) }
	defer p.tiles.countPass(src, p.rows)()
	return stream.Fold(ctx, e.Given(p.rows.rows, s.project), "fit", src, newState, func() func(*ranged[A], *stream.Block) error {
		m := p.tiles.embedder(&Embedding{Signs: p.signs}, p.rows, name)
		look, diagonal := s.looker(), p.tiles.traceAdder(name)
		return func(acc *ranged[A], b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				start := b.Start + int64(first)
				y, err := m.raw(x, start)
				if err != nil {
					return err
				}
				if err := acc.B.B.Add(start, look(y, start), x); err != nil {
					return err
				}
				if err := acc.A.Add(y); err != nil {
					return err
				}
			}
			if !trace {
				return nil
			}
			return diagonal(acc.B.A, b)
		}
	})
}

// found returns the rows of high leverage that a pass kept.
func (t *tiles) found(p *sketch.Priority) *panel {
	number, rows := p.Rows()
	return t.pack(rows, number, nil)
}

// traceAdder returns the function that adds k(x, x) of the rows of a block of the
// source with the given name.
func (t *tiles) traceAdder(name string) func(*sketch.ColumnSums, *stream.Block) error {
	diagonal := stream.NewMatrix(stream.PanelRows, 1)
	return func(sum *sketch.ColumnSums, b *stream.Block) error {
		for first, x := range b.Panels(stream.PanelRows) {
			part := stream.RowSlice(diagonal, 0, x.Rows)
			t.diag(part.Data[:x.Rows], x)
			if err := t.checkFinite(part, name, numberFrom(b.Start+int64(first))); err != nil {
				return err
			}
			if err := sum.Add(part); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p sketchPass) stream(ctx context.Context, e stream.Engine, src stream.Source) (blas64.General, error) {
	defer p.tiles.countPass(src, p.rows)()
	qr, err := stream.Fold(ctx, e.Given(p.rows.rows), "fit", src, p.factor, func() func(*sketch.QR, *stream.Block) error {
		add := p.adder(src.Info().Name)
		return func(qr *sketch.QR, b *stream.Block) error { return add(qr, b) }
	})
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
}

// orthonormalEmbedding turns a triangular factor into an embedding whose
// columns are orthonormal on the rows that were streamed, and gives the
// condition of the sketch.
func (t *tiles) orthonormalEmbedding(factor blas64.General, rows *panel, signs *sketch.SparseSign) (*Embedding, float64, error) {
	projection, cond, err := whitening("the sketch", factor, RankTolerance)
	if err != nil {
		return nil, 0, err
	}
	return &Embedding{Landmarks: rows.rows, Rows: rows.number, Signs: signs, Projection: projection}, cond, nil
}
