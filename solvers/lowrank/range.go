package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// sketchPass streams the triangular factor of K(·, rows)·Ĉ, or of K(·, rows)
// when signs is nil.
type sketchPass struct {
	tiles *tiles
	signs *sketch.SparseSign
	rows  *panel
	guide *rangeGuide // nil for none
}

// rangeGuide is what sampled rows tell of the factor before the pass.
type rangeGuide struct {
	*sketch.Guide
	sample blas64.General // the rows
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

// traced is what a pass over a symmetric matrix folds rows into: a triangular
// factor, and the trace of A.
type traced = sketch.Both[*sketch.GuidedQR, *sketch.ColumnSums]

// streamed is what a pass over a symmetric matrix leaves.
type streamed struct {
	factor blas64.General
	loss   float64 // see [sketch.GuidedQR.Loss]
	trace  float64 // tr(A)
}

// streamTrace does what stream does, for the matrix of one source, and returns tr(A) as well.
func (p sketchPass) streamTrace(ctx context.Context, e stream.Engine, src stream.Source) (*streamed, error) {
	given, guide := []any{p.rows.rows}, (*sketch.Guide)(nil)
	if p.guide != nil {
		given, guide = append(given, p.guide.sample), p.guide.Guide
	}
	columns := p.rows.rows.Rows
	if p.signs != nil {
		columns = p.signs.Cols
	}
	newState := func() *traced { return &traced{A: sketch.NewGuidedQR(guide, columns), B: sketch.NewColumnSums(1)} }
	defer p.tiles.countPass(src, p.rows)()
	state, err := stream.Fold(ctx, e.Given(given...), "fit", src, newState, func() func(*traced, *stream.Block) error {
		add, diagonal := p.adder(src.Info().Name), p.tiles.traceAdder(src.Info().Name)
		return func(s *traced, b *stream.Block) error {
			if err := add(s.A, b); err != nil {
				return err
			}
			return diagonal(s.B, b)
		}
	})
	if err != nil {
		return nil, err
	}
	r, err := state.A.R()
	if err != nil {
		return nil, err
	}
	return &streamed{r, state.A.Loss(r), state.B.Totals()[0]}, nil
}

// guided returns the pass with a guide, where that pays: with many rows. The landmarks are
// in the sample, and others evenly from the points given.
func (p sketchPass) guided(ctx context.Context, e stream.Engine, rows int64, points *panel) (sketchPass, error) {
	sample := p.tiles.guideSample(rows, p.rows, points)
	if sample == nil {
		return p, nil
	}
	y, err := p.tiles.between(ctx, e, sample.rows, p.rows)
	if err != nil {
		return p, err
	}
	if err := p.tiles.checkFinite(y, "the sample", func(i int) int64 { return sample.number[i] }); err != nil {
		return p, err
	}
	// Landmarks count for as much as among all rows.
	others := y.Rows - y.Cols
	dense.ScaleRows(stream.RowSlice(y, others, y.Cols), slices.Repeat([]float64{math.Sqrt(float64(others) / float64(rows))}, y.Cols))
	guide, err := sketch.NewGuide(y)
	if err == nil && guide != nil {
		p.guide = &rangeGuide{guide, sample.rows}
	}
	return p, err
}

// A guide is from guideRows rows for each column, of which the pass should see many times
// as many.
const (
	guideRows  = 4
	guideTimes = 4
)

// guideSize returns how many rows of n guide a pass with so many columns, 0 for none.
func guideSize(n, columns, points int64) int64 {
	size := columns + min(points, (guideRows-1)*columns)
	if size < 2*columns || n < guideTimes*size {
		return 0
	}
	return size
}

// guideSample picks the rows, or nil.
func (t *tiles) guideSample(n int64, landmarks, points *panel) *panel {
	size := int(guideSize(n, int64(landmarks.rows.Rows), int64(points.rows.Rows)))
	if size == 0 {
		return nil
	}
	others := size - landmarks.rows.Rows
	numbers := make([]int64, others)
	for i := range numbers {
		numbers[i] = points.number[i*points.rows.Rows/others]
	}
	evenly := pickRows(points.rows, points.number, numbers)
	rows := stream.NewMatrix(size, evenly.Cols)
	for i := range size {
		if i < others {
			copy(dense.Row(rows, i), dense.Row(evenly, i))
		} else {
			copy(dense.Row(rows, i), dense.Row(landmarks.rows, i-others))
		}
	}
	return t.pack(rows, append(numbers, landmarks.number...), nil)
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
	projection, cond, err := whitening("the sketch", factor, t.precision.rankTolerance())
	if err != nil {
		return nil, 0, err
	}
	return &Embedding{Landmarks: rows.rows, Rows: rows.number, Signs: signs, Projection: projection}, cond, nil
}
