package transport

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Images returns where the fitted rows of a side are mapped: T·Y over the masses of rows for
// the left side, a row for each. Cost: a pass over the source, as [Model.Transform].
func (f *Fit) Images(ctx context.Context, e stream.Engine, side model.Side) (blas64.General, error) {
	src := f.data.side(side).Left
	out := stream.NewMatrix(int(src.Info().Rows), f.mapOf(side).Dimension())
	err := f.Transform(ctx, e, src, model.Request{Side: side}, func(b *stream.Block, images blas64.General) error {
		for i := range images.Rows {
			copy(dense.Row(out, int(b.Start)+i), dense.Row(images, i))
		}
		return nil
	})
	return out, err
}

// Scalings returns log u for the left side, or log v, −Inf for rows without mass:
// T = diag(u)·K·diag(v).
func (f *Fit) Scalings(ctx context.Context, e stream.Engine, side model.Side) ([]float64, error) {
	x, ok := f.solution.(*exact)
	if !ok {
		return f.solution.(*pair).scalings(ctx, e, side)
	}
	logs, at := x.f, x.left
	if side == model.Right {
		logs, at = x.g, x.right
	}
	if at.number == nil {
		return logs, nil
	}
	all := make([]float64, at.count)
	for i := range all {
		all[i] = math.Inf(-1)
	}
	for i, n := range at.number {
		all[n] = logs[i]
	}
	return all, nil
}

func (p *pair) scalings(ctx context.Context, e stream.Engine, side model.Side) ([]float64, error) {
	h, of := p.sideOf(side)
	out, err := h.rows(ctx, e, "scalings", 1, func(dst blas64.General, s shown, start int64) {
		u := dst.Data[:dst.Rows]
		h.scalings(u, s, start, p.exponent(), of)
		for i, v := range u {
			u[i] = math.Log(v)
		}
	})
	return out.Data, err
}
