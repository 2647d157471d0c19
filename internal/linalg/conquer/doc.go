// Package conquer is what the divide-and-conquer decompositions share: symeig, of
// symmetric tridiagonal matrices, and svd, of bidiagonal ones.
//
// Both tear their matrix in two, decompose the halves, and are left with a diagonal
// matrix changed by one vector, diag(d) + ρ·z·zᵀ (for singular values its square,
// diag(d²) + z·zᵀ). Here are its deflation, its eigenvalues as the roots of a secular
// equation (Secular), and the product that makes the vectors of the whole from those
// of the halves (Merge).
package conquer

// Epsilon is the relative rounding of one operation.
const Epsilon = 0x1p-53
