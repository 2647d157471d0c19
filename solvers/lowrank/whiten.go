package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// whitening returns T with a·T orthonormal up to rounding, a a matrix whose triangular
// factor is given, and an estimate of the condition of the columns of a that T
// combines. T is the inverse of the factor, or, where columns are dependent to the
// given tolerance, of the part of it that QR with column pivoting finds to be
// independent: it then has fewer columns than a.
func whitening(what string, factor blas64.General, tolerance float64) (t blas64.General, cond float64, err error) {
	if !dense.Finite(factor) {
		return t, 0, notFinite(what)
	}
	if cond := triangularCondition(factor); cond <= 0.1/tolerance {
		return triangularInverse(factor), cond, nil
	}
	r, order := pivotedFactor(factor)
	rank := 0
	for rank < r.Rows && math.Abs(r.Data[rank*r.Stride+rank]) > tolerance*math.Abs(r.Data[0]) {
		rank++
	}
	r = dense.Columns(stream.RowSlice(r, 0, rank), 0, rank)
	inverse := triangularInverse(r)
	t = stream.NewMatrix(factor.Rows, rank)
	for j := range rank {
		copy(dense.Row(t, order[j]), dense.Row(inverse, j))
	}
	return t, triangularCondition(r), nil
}

// pivotedFactor returns the triangular factor of QR with column pivoting, whose column j
// is that of column order[j] of the triangular matrix given.
func pivotedFactor(factor blas64.General) (r blas64.General, order []int) {
	n := factor.Rows
	r, order = stream.NewMatrix(n, n), make([]int, n)
	for i := range n {
		copy(dense.Row(r, i), dense.Row(factor, i))
		order[i] = -1 // may be exchanged
	}
	if n == 0 {
		return r, order
	}
	tau, size := make([]float64, n), make([]float64, 1)
	var l gonum.Implementation
	l.Dgeqp3(n, n, r.Data, r.Stride, order, tau, size, -1)
	l.Dgeqp3(n, n, r.Data, r.Stride, order, tau, make([]float64, int(size[0])), int(size[0]))
	return r, order
}

// triangularCondition estimates the condition number of an upper triangular
// matrix, in the 1-norm and so up to a factor of n; +Inf if it is singular.
func triangularCondition(r blas64.General) float64 {
	if r.Rows == 0 {
		return 1
	}
	for i := range r.Rows {
		if r.Data[i*r.Stride+i] == 0 {
			return math.Inf(1)
		}
	}
	return 1 / lapack64.Trcon(lapack.MaxColumnSum, upperTriangle(r), make([]float64, 3*r.Rows), make([]int, r.Rows))
}

func upperTriangle(r blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r.Rows, Stride: r.Stride, Data: r.Data}
}

// triangularInverse returns R⁻¹.
func triangularInverse(r blas64.General) blas64.General {
	t := stream.NewMatrix(r.Rows, r.Rows)
	for i := range r.Rows {
		t.Data[i*t.Stride+i] = 1
	}
	if r.Rows > 0 {
		blas64.Trsm(blas.Left, blas.NoTrans, 1, upperTriangle(r), t)
	}
	return t
}
