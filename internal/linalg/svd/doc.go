// Package svd decomposes matrices in memory, A = U·diag(σ)·Vᵀ, with nearly all of the work in
// matrix products.
//
// A, or the triangle of its QR factorization if it is tall, is reduced to an upper bidiagonal
// matrix by Householder reflections (LAPACK's gebrd, by gonum). Divide and conquer decomposes that
// (Gu & Eisenstat 1995, "A divide-and-conquer algorithm for the bidiagonal SVD", SIAM J. Matrix
// Anal. Appl. 16). gonum's own mat.SVD rotates both sets of vectors column by column, about 12·n³
// scalar operations.
//
// Products use blas64, so programs should install package nyblas there. Results are bitwise
// independent of the number of threads if those of the BLAS are. Solvers use dense.NewSVD, which
// also fixes the signs.
package svd
