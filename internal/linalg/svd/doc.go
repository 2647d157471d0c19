// Package svd decomposes matrices in memory, A = U·diag(σ)·Vᵀ, with nearly all of the
// work in products of matrices.
//
// A, or the triangle of its QR factorization if it is tall, is reduced to an upper
// bidiagonal matrix by Householder reflections (LAPACK's gebrd, by gonum), which is
// decomposed by divide and conquer (Gu & Eisenstat 1995, "A divide-and-conquer
// algorithm for the bidiagonal SVD", SIAM J. Matrix Anal. Appl. 16). gonum's own
// mat.SVD rotates both sets of vectors column by column, about 12·n³ operations one
// at a time.
//
// Products go through blas64, so programs should install package nyblas there.
// Results are the same bits for any number of threads, if those of the BLAS are.
// Solvers use dense.NewSVD, which also fixes the signs.
package svd
