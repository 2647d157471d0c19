package nyblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/simd"
)

// Dgemm performs C = alpha·op(A)·op(B) + beta·C, where op(A) is m×k, op(B) k×n
// and C m×n, and op is the matrix or its transpose.
func (p Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if small(m, n, k) {
		p.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	gemm(p.threads(), tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemm(threads int, tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	checkTranspose(tA)
	checkTranspose(tB)
	check(m >= 0, mLT0)
	check(n >= 0, nLT0)
	check(k >= 0, kLT0)
	rowsA, colsA := stored(tA, m, k)
	rowsB, colsB := stored(tB, k, n)
	checkStride(lda, colsA, badLdA)
	checkStride(ldb, colsB, badLdB)
	checkStride(ldc, n, badLdC)
	if m == 0 || n == 0 {
		return
	}
	checkLength(len(a), rowsA, colsA, lda, shortA)
	checkLength(len(b), rowsB, colsB, ldb, shortB)
	checkLength(len(c), m, n, ldc, shortC)
	simd.GemmThreads(threads, tA, tB, alpha, blas64.General{Rows: rowsA, Cols: colsA, Data: a, Stride: lda},
		blas64.General{Rows: rowsB, Cols: colsB, Data: b, Stride: ldb}, beta,
		blas64.General{Rows: m, Cols: n, Data: c, Stride: ldc})
}
