package nyblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/simd"
)

const (
	gemvGather = 2048 // entries of A from which strided vectors are packed
	gemvCols   = 256  // columns of A from which our kernel is faster than gonum's
)

// Dgemv performs y = alpha·op(A)·x + beta·y, on one thread. Strided vectors, such as columns in gonum's decompositions,
// are packed first. Small, narrow and illegal operations, and those with negative increments, are left to gonum.
func (p Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	rows, cols := stored(tA, m, n) // lengths of y and x
	legal := (tA == blas.NoTrans || tA == blas.Trans || tA == blas.ConjTrans) && m > 0 && n > 0 && lda >= n && incX > 0 && incY > 0 &&
		len(a) >= lda*(m-1)+n && len(x) > (cols-1)*incX && len(y) > (rows-1)*incY
	gaps, narrow := incX > 1 || incY > 1, simd.Active() == simd.Go || n < gemvCols && smallWork > 0
	if !legal || alpha == 0 || narrow && !gaps || m*n < gemvGather && smallWork > 0 {
		p.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	s := borrow(rows + cols)
	defer s.giveBack()
	to, from := s.v[:rows], s.v[rows:]
	scaledCopy(to, beta, y, incY)
	matrix := blas64.General{Rows: m, Cols: n, Data: a, Stride: lda}
	switch {
	case narrow:
		scaledCopy(from, 1, x, incX)
		p.Implementation.Dgemv(tA, m, n, alpha, a, lda, from, 1, 1, to, 1)
	case tA == blas.NoTrans:
		scaledCopy(from, 1, x, incX)
		simd.AddDots(to, alpha, matrix, from)
	default:
		scaledCopy(from, alpha, x, incX)
		simd.AddRows(to, matrix, from)
	}
	for i, v := range to {
		y[i*incY] = v
	}
}

// scaledCopy sets dst to factor times a strided vector. If factor is zero, the vector is not read.
func scaledCopy(dst []float64, factor float64, x []float64, inc int) {
	switch {
	case factor == 0:
		clear(dst)
	case factor == 1 && inc == 1:
		copy(dst, x)
	case factor == 1:
		for i := range dst {
			dst[i] = x[i*inc]
		}
	default:
		for i := range dst {
			dst[i] = factor * x[i*inc]
		}
	}
}
