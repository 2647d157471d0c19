// Package symeig decomposes symmetric matrices in memory, A = V·diag(λ)·Vᵀ, with
// nearly all of the work in products of matrices.
//
// A is reduced to a tridiagonal matrix by Householder reflections (LAPACK's sytrd,
// by gonum), which is decomposed by divide and conquer (Cuppen 1981, "A divide and
// conquer method for the symmetric tridiagonal eigenproblem") in the form that
// keeps the vectors orthogonal (Gu & Eisenstat 1995, "A divide-and-conquer
// algorithm for the symmetric tridiagonal eigenproblem"). gonum's own mat.EigenSym
// rotates the vectors column by column, about 6·n³ operations one at a time.
//
// Products go through blas64, so programs should install package nyblas there.
// Results are the same bits for any number of threads, if those of the BLAS are.
package symeig
