package transport

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// images returns the images of rows of a side.
func images(t *testing.T, f *Fit, side model.Side, rows blas64.General) blas64.General {
	t.Helper()
	out := matrix.New(rows.Rows, f.mapOf(side).Dimension())
	err := f.Transform(context.Background(), stream.Engine{}, stream.FromMatrix("rows", rows), model.Request{Side: side}, func(b *stream.Block, images blas64.General) error {
		for i := range images.Rows {
			copy(matrix.Row(out, int(b.Start)+i), matrix.Row(images, i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scalings returns log u for the left side, and log v for the right one: T = diag(u)·K·diag(v).
func (p *lowRankIteration) scalings(ctx context.Context, e stream.Engine, side model.Side) ([]float64, error) {
	h := p.left
	if side == model.Right {
		h = p.right
	}
	out, err := stream.MapRows(ctx, e, "scalings", h.src, 1, func() func(blas64.General, *stream.Block) error {
		panels, scale := h.panels(), h.scalings()
		return func(dst blas64.General, b *stream.Block) error {
			return panels(b, func(f features) error {
				u := dst.Data[f.start-b.Start:][:f.x.Rows]
				scale(u, f)
				for i, v := range u {
					u[i] = math.Log(v)
				}
				return nil
			})
		}
	})
	return out.Data, err
}
