// Package conquer is the common part of the divide-and-conquer decompositions: symeig, of symmetric
// tridiagonal matrices, and svd, of bidiagonal ones.
//
// Both divide their matrix in two, decompose the halves, and obtain a diagonal matrix with a
// rank-one modification, diag(d) + ρ·z·zᵀ (for singular values its square, diag(d²) + z·zᵀ). This
// package deflates it, finds its eigenvalues as roots of a secular equation (Secular), and combines
// the vectors of the halves (Merge).
package conquer

// Epsilon is the unit roundoff.
const Epsilon = 0x1p-53
