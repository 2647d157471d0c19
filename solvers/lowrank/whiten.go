package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/stream"
)

// whitening is T with a·T orthonormal up to rounding, a a matrix whose triangular
// factor is given, and an estimate of the condition of a·T's columns before. With
// singular values at or below tolerance times the largest T has fewer columns than
// a: V·S⁻¹ of the SVD. Where the factor is far from that, T is its inverse, which is
// as good and takes a hundredth of the time.
func whitening(what string, factor blas64.General, tolerance float64) (t blas64.General, cond float64, err error) {
	if !allFinite(factor) {
		return t, 0, notFinite(what)
	}
	if cond := triangularCondition(factor); cond <= 0.1/tolerance {
		return triangularInverse(factor), cond, nil
	}
	s, err := newSVD(what, factor)
	if err != nil {
		return t, 0, err
	}
	r := s.rank(tolerance)
	return s.whitener(r), condition(s, r), nil
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

// triangularInverse is R⁻¹.
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
