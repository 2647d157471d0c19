package lowrank

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Rank returns the number of values.
func (m *Model) Rank() int { return len(m.Values) }

// Factors returns U and V of all rows of the fitted data, n×r each; V is U if the model has one factor. It fails if d
// has other rows, on which the columns are not orthonormal: use Transform for those. Cost: one pass over each source,
// kernel entries as for [Model.Transform], and n·r² flops.
func (f *Fit) Factors(ctx context.Context, e stream.Engine, d model.Sources) (u, v blas64.General, err error) {
	if err := f.checkShape(d); err != nil {
		return u, v, err
	}
	u, err = f.fittedFactor(ctx, e, model.Left, d.Left)
	switch {
	case err != nil || f.Symmetric():
		return u, u, err
	case f.Explicit != nil:
		return u, f.Explicit.V, nil
	case d.Right == nil:
		d.Right = d.Left
	}
	v, err = f.fittedFactor(ctx, e, model.Right, d.Right)
	return u, v, err
}

// checkShape returns an error unless d has the numbers of rows and columns of the fitted data.
func (m *Model) checkShape(d model.Sources) error {
	if d.Right == nil {
		d.Right = d.Left
	}
	for i, src := range []stream.Source{d.Left, d.Right} {
		info, rows := src.Info(), []int64{m.Rows, m.Cols}[i]
		if i == 1 && m.Explicit != nil {
			break // its columns are those of the matrix
		}
		if info.Rows >= 0 && info.Rows != rows {
			return stream.NewDataError(info.Name, "it has %d rows, and the fit was of %d rows", info.Rows, rows).WithRemedy("transform other rows")
		}
		if err := input.CheckColumns(info, m.Dimension(model.Left)); err != nil {
			return err
		}
	}
	return nil
}

// notOrthonormal is the smallest max|UᵀU−I| of rows that are not those of the fit. On the fitted rows, rounding leaves
// less than [Fit.OrthogonalityBound]; n other rows of the same distribution give about 1/√n.
const notOrthonormal = 1e-6

// fittedFactor returns the factor of a side. It fails if the rows are not those of the fit.
func (f *Fit) fittedFactor(ctx context.Context, e stream.Engine, side model.Side, src stream.Source) (blas64.General, error) {
	u, err := f.factor(ctx, e, side, src)
	if err != nil || u.Cols == 0 {
		return u, err
	}
	gram := dense.Mul(blas.Trans, u, blas.NoTrans, u)
	for i := range gram.Rows {
		matrix.Row(gram, i)[i]--
	}
	if off := dense.MaxAbs(gram); !(off <= max(notOrthonormal, 1e3*f.OrthogonalityBound())) {
		return u, stream.NewDataError(src.Info().Name, "these are not the rows that were fitted: max|UᵀU−I| of the %v factor is %.2g", side, off).
			WithRemedy("transform other rows")
	}
	return u, nil
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
