package rkhs

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Functions are elements of an RKHS that can be evaluated at any row:
//
//	h_j(x) = f(x)·Coefficients_j − Offsets_j
//
// where f are the features of Space, f(x)·f(x') ≈ k(x, x') ([lowrank.Model.Features]). The coefficients are coordinates
// in an orthonormal basis, so inner products of columns are those of the RKHS.
type Functions struct {
	Space        *lowrank.Model // of k(x − Left.Origin, x' − Left.Origin)
	Coefficients blas64.General `array:",features,columns"` // features × functions
	// Offsets are the means of the functions over the rows of the fit; nil unless the features were centred.
	Offsets []float64 `array:"_offsets,columns,if=centred"`
	// Complex reports that the second half of the columns are the imaginary parts of the first half.
	Complex bool
}

// newFunctions returns functions with coefficients m. means are the means of the features, nil if not centred.
func newFunctions(space *lowrank.Model, m blas64.General, means []float64) *Functions {
	f := &Functions{Space: space, Coefficients: matrix.Clone(m)}
	if means != nil {
		f.Offsets = dense.MulVector(blas.Trans, f.Coefficients, means)
	}
	return f
}

// Count returns the number of functions.
func (f *Functions) Count() int {
	if f.Complex {
		return f.Coefficients.Cols / 2
	}
	return f.Coefficients.Cols
}

// Dimension returns the number of columns of rows at which the functions can be evaluated.
func (f *Functions) Dimension() int { return f.Space.Left.Landmarks.Cols }

// Real returns the real parts, as real functions.
func (f *Functions) Real() *Functions { return f.pick(span(0, f.Count())) }

// Imag returns the imaginary parts, as real functions. Those of real functions are zero.
func (f *Functions) Imag() *Functions {
	if !f.Complex {
		return newFunctions(f.Space, matrix.New(f.Coefficients.Rows, f.Count()), nil)
	}
	return f.pick(span(f.Count(), f.Count()))
}

// First returns the first n functions.
func (f *Functions) First(n int) *Functions {
	if n < 0 || n > f.Count() {
		panic(fmt.Sprintf("rkhs: the first %d of %d functions", n, f.Count()))
	}
	if !f.Complex {
		return f.pick(span(0, n))
	}
	g := f.pick(append(span(0, n), span(f.Count(), n)...))
	g.Complex = true
	return g
}

// pick returns real functions with the given columns of the coefficients.
func (f *Functions) pick(columns []int) *Functions {
	g := &Functions{Space: f.Space, Coefficients: dense.PickColumns(f.Coefficients, columns)}
	if f.Offsets != nil {
		g.Offsets = dense.Pick(f.Offsets, columns)
	}
	return g
}

// span returns n consecutive numbers starting at first.
func span(first, n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = first + i
	}
	return numbers
}

// worker makes workers that store values at the rows of a source in dst: the real parts of all functions, followed by
// the imaginary parts if there are any. Cost of a row: p kernel entries and 2·p·r flops for p landmarks and r features,
// and 2·r flops for each column.
func (f *Functions) worker(info stream.Info) (func() model.Worker, error) {
	if err := input.CheckColumns(info, f.Dimension()); err != nil {
		return nil, err
	}
	maker := f.Space.Features(info.Name)
	return func() model.Worker {
		features := maker()
		var room []float64 // grows to the largest panel so far
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(tilesize.PanelRows) {
				rows := matrix.Reuse(&room, x.Rows, f.Coefficients.Rows)
				if err := features(rows, x, b.Start+int64(first)); err != nil {
					return err
				}
				f.combine(matrix.Rows(dst, first, x.Rows), rows)
			}
			return nil
		}
	}, nil
}

// combine stores the values for given features in dst.
func (f *Functions) combine(dst, features blas64.General) {
	dense.GemmRows(blas.NoTrans, features, f.Coefficients, 0, dst)
	if f.Offsets == nil {
		return
	}
	for i := range dst.Rows {
		matrix.Axpy(-1, f.Offsets, matrix.Row(dst, i))
	}
}

// At returns the values at rows in memory, one row for each.
func (f *Functions) At(ctx context.Context, e stream.Engine, rows blas64.General) (blas64.General, error) {
	src := stream.FromMatrix("rows", rows)
	worker, err := f.worker(src.Info())
	if err != nil {
		return blas64.General{}, err
	}
	return stream.MapRows(ctx, e, "evaluate", src, f.Coefficients.Cols, worker)
}
