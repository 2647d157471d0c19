package lowrank

import (
	"context"

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

// adder returns the function that adds a block to a factor.
func (p sketchPass) adder(name string) func(*sketch.QR, *stream.Block) error {
	m := p.tiles.embedder(&Embedding{Signs: p.signs}, p.rows, name)
	return func(qr *sketch.QR, b *stream.Block) error {
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

func (p sketchPass) stream(ctx context.Context, e stream.Engine, src stream.Source) (blas64.General, error) {
	qr, err := stream.Fold(ctx, e, "fit", src, p.factor, func() func(*sketch.QR, *stream.Block) error { return p.adder(src.Info().Name) })
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
}

// orthonormalEmbedding turns a triangular factor into an embedding whose
// columns are orthonormal on the rows that were streamed, and gives the
// condition of the sketch.
func (t *tiles) orthonormalEmbedding(factor blas64.General, rows *panel, signs *sketch.SparseSign) (*Embedding, float64, error) {
	s, err := newSVD("the sketch", factor)
	if err != nil {
		return nil, 0, err
	}
	r := s.rank(t.precision.rankTolerance())
	return &Embedding{Landmarks: rows.rows, Rows: rows.number, Signs: signs, Projection: s.whitener(r)}, condition(s, r), nil
}
