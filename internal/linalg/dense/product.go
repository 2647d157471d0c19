package dense

import (
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Mul returns op(a)·op(b) in a new matrix.
func Mul(ta blas.Transpose, a blas64.General, tb blas.Transpose, b blas64.General) blas64.General {
	rows, cols := a.Rows, b.Cols
	if ta != blas.NoTrans {
		rows = a.Cols
	}
	if tb != blas.NoTrans {
		cols = b.Rows
	}
	c := matrix.New(rows, cols)
	Gemm(ta, tb, 1, a, b, 0, c)
	return c
}

// Gemm sets c = alpha·op(a)·op(b) + beta·c, like blas64.Gemm, but accepts empty matrices: an empty
// sum is 0.
func Gemm(ta, tb blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	switch {
	case c.Rows == 0 || c.Cols == 0:
	case a.Rows == 0 || a.Cols == 0:
		scale(c, beta)
	default:
		blas64.Gemm(ta, tb, alpha, a, b, beta, c)
	}
}

// GemmRows is Gemm for products in which each row of c depends only on the same row of op(a), bit
// for bit: the rows of a block do not depend on the size of the block. BLAS may sum small products
// in another order than large ones.
func GemmRows(ta blas.Transpose, a, b blas64.General, beta float64, c blas64.General) {
	if a.Rows == 0 || a.Cols == 0 || simd.Active() == simd.Go {
		Gemm(ta, blas.NoTrans, 1, a, b, beta, c)
		return
	}
	simd.GemmThreads(runtime.GOMAXPROCS(0), ta, blas.NoTrans, 1, a, b, beta, c)
}

// scale sets c = beta·c; if beta is 0, it clears c even of NaN.
func scale(c blas64.General, beta float64) {
	if beta == 0 {
		matrix.Clear(c)
		return
	}
	for i := range c.Rows {
		blas64.Scal(beta, Vector(matrix.Row(c, i)))
	}
}

// MulVector returns op(a)·x.
func MulVector(ta blas.Transpose, a blas64.General, x []float64) []float64 {
	n := a.Rows
	if ta != blas.NoTrans {
		n = a.Cols
	}
	y := make([]float64, n)
	if a.Rows > 0 && a.Cols > 0 {
		blas64.Gemv(ta, 1, a, Vector(x), 0, Vector(y))
	}
	return y
}
