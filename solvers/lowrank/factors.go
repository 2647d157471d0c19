package lowrank

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Rank returns the number of values.
func (m *Model) Rank() int { return len(m.Values) }

// Factors returns U and V of all rows of the data that was fitted, n×r each: V is U where the model has one
// factor. Cost: one pass over each source, and kernel entries as for [Model.Transform].
func (f *Fit) Factors(ctx context.Context, e stream.Engine, d model.Sources) (u, v blas64.General, err error) {
	u, err = f.factor(ctx, e, model.Left, d.Left)
	switch {
	case err != nil || f.Symmetric():
		return u, u, err
	case f.Explicit != nil:
		return u, f.Explicit.V, nil
	case d.Right == nil:
		d.Right = d.Left
	}
	v, err = f.factor(ctx, e, model.Right, d.Right)
	return u, v, err
}

// factor returns the factor of a side.
func (m *Model) factor(ctx context.Context, e stream.Engine, side model.Side, src stream.Source) (blas64.General, error) {
	out := blas64.General{Cols: m.Rank(), Stride: max(1, m.Rank())}
	err := m.Transform(ctx, e, src, model.Request{Side: side}, func(_ *stream.Block, u blas64.General) error {
		out.Rows += u.Rows
		for i := range u.Rows * min(1, u.Cols) {
			out.Data = append(out.Data, matrix.Row(u, i)...)
		}
		return nil
	})
	return out, err
}
