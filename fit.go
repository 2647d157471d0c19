package nystream

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Fit approximates the kernel matrix of the rows of a source by a method of package lowrank, on all
// processors:
//
//	fit, err := nystream.Fit(ctx, src, kernelgen.RBF(0.5), lowrank.Landmark{Rank: 50})
//
// The errors are those of the method. The cost is that of the method: mostly one pass over the rows, after
// the landmark rows are fetched.
func Fit[F any](ctx context.Context, src stream.Source, k kernelgen.Kernel, m model.Method[model.Sources, F]) (*F, error) {
	return FitData(ctx, model.Sources{Left: src}, k, m)
}

// FitData is [Fit] for the data of any family of solvers, which its package makes, as ksvd.Between does.
func FitData[D model.Data, F any](ctx context.Context, d D, k kernelgen.Kernel, m model.Method[D, F]) (*F, error) {
	return FitWith(ctx, stream.Engine{}, d, k, m)
}

// FitWith is [FitData] with an engine: the number of threads, a limit of memory, progress, and a [stream.Run] that
// keeps states of passes, to go on with after a stop.
//
//	engine := stream.Engine{Threads: 4, Memory: 1 << 30}
//	fit, err := nystream.FitWith(ctx, engine, model.Sources{Left: src}, kernelgen.RBF(0.5), lowrank.Landmark{Rank: 50})
//
// It returns a [*stream.OverBudgetError], before it reads a row, if the plan of the fit exceeds Memory.
func FitWith[D model.Data, F any](ctx context.Context, e stream.Engine, d D, k kernelgen.Kernel, m model.Method[D, F]) (*F, error) {
	return m.Fit(ctx, e, d, k)
}

// FromDense returns a source of the rows of a matrix. A mat.Dense is shared, any other matrix is copied.
func FromDense(m mat.Matrix) stream.Source {
	raw, is := m.(mat.RawMatrixer)
	if !is {
		raw = mat.DenseCopyOf(m)
	}
	return stream.FromMatrix("matrix", raw.RawMatrix())
}

// ToDense reads a source into a matrix. A value that is null, NaN or infinite is a [stream.DataError] that names its
// row and column; [stream.ReadAll] reads such values as they are. It makes one pass.
func ToDense(ctx context.Context, src stream.Source) (*mat.Dense, error) {
	m, err := stream.ReadAll(ctx, src)
	if err == nil {
		err = input.CheckRows(src.Info(), m, 0)
	}
	if err != nil {
		return nil, err
	}
	return Dense(m), nil
}

// Dense returns a result as a mat.Dense, which shares its memory. A matrix without rows or columns gives an
// empty mat.Dense.
func Dense(m blas64.General) *mat.Dense {
	d := &mat.Dense{}
	if m.Rows > 0 && m.Cols > 0 {
		d.SetRawMatrix(m)
	}
	return d
}
