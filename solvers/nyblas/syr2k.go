package nyblas

import "gonum.org/v1/gonum/blas"

// Dsyr2k performs C = alpha·(op(A)·op(B)ᵀ + op(B)·op(A)ᵀ) + beta·C on one
// triangle of the n×n matrix C, where op(A) and op(B) are n×k: A and B if tA is
// blas.NoTrans, or their transposes.
func (p Implementation) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if small(n, n, k) || alpha == 0 {
		p.Implementation.Dsyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	rankK{ul: ul, t: tA, two: true, alpha: alpha, beta: beta}.run(p.threads(), n, k, a, lda, b, ldb, c, ldc)
}
