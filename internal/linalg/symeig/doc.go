// Package symeig decomposes symmetric matrices in memory, A = V·diag(λ)·Vᵀ, with nearly all of the
// work in matrix products.
//
// A is reduced to a tridiagonal matrix by Householder reflections (LAPACK's sytrd, by gonum).
// Divide and conquer decomposes that (Cuppen 1981, "A divide and conquer method for the symmetric
// tridiagonal eigenproblem"), in the form that keeps the vectors orthogonal (Gu & Eisenstat 1995,
// "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem"). gonum's own
// mat.EigenSym rotates the vectors column by column, about 6·n³ scalar operations.
//
// Products use blas64, so programs should install package nyblas there. Results are bitwise
// independent of the number of threads if those of the BLAS are.
package symeig
