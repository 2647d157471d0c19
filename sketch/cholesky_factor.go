package sketch

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// factorise replaces the upper triangle of a symmetric matrix A by its Cholesky factor U, A = UᵀU.
// It reports false if a pivot is not positive and finite. Entries below the diagonal must be zero
// and stay zero. It works on panels of a few rows: the contribution of earlier rows is subtracted
// as a matrix product.
func factorise(a *simd.Padded) (ok bool) {
	m := a.General()
	n := m.Cols
	for j := 0; j < n; j += simd.Lanes {
		rows := min(simd.Lanes, n-j)
		if j > 0 {
			simd.Gemm(blas.Trans, blas.NoTrans, -1, matrix.Block(m, 0, j, j, rows), matrix.Block(m, 0, j, j, n-j), 1, matrix.Block(m, j, j, rows, n-j))
		}
		if !factoriseRows(a, j, rows) {
			return false
		}
	}
	return true
}

// factoriseRows finishes one panel, row by row.
func factoriseRows(a *simd.Padded, first, rows int) (ok bool) {
	for i := first; i < first+rows; i++ {
		r := a.Row(i)
		clear(r[first:i])
		pivot := r[i]
		if !(pivot > 0 && pivot <= math.MaxFloat64) {
			return false
		}
		scale := 1 / math.Sqrt(pivot)
		for j := i; j < len(r); j++ {
			r[j] *= scale
		}
		for k := i + 1; k < first+rows; k++ {
			matrix.Axpy(-r[k], r[k:], a.Row(k)[k:])
		}
	}
	return true
}

// productCols is the size of the blocks of multiplyUpper.
const productCols = 24

// multiplyUpper sets P to U·P for upper triangular matrices with explicit zeros. Blocks are
// computed in an order that reads each block of P before overwriting it.
func multiplyUpper(p, u *simd.Padded) {
	var room [productCols * productCols]float64
	a, b := u.General(), p.General()
	n := b.Cols
	for i := 0; i < n; i += productCols {
		rows := min(productCols, n-i)
		for j := i; j < n; j += productCols {
			cols := min(productCols, n-j)
			steps := j + cols - i
			product := matrix.Of(room[:], rows, cols)
			simd.Gemm(blas.NoTrans, blas.NoTrans, 1, matrix.Block(a, i, i, rows, steps), matrix.Block(b, i, j, steps, cols), 0, product)
			for k := range rows {
				copy(matrix.Row(b, i+k)[j:j+cols], matrix.Row(product, k))
			}
		}
	}
}
