// Package krylov computes the leading singular triplets of a matrix, or the leading eigenpairs of a
// symmetric one, from its products with blocks of vectors.
//
// [Pair] and [Space] are block Krylov iterations (C. Musco and C. Musco 2015, "Randomized block
// Krylov methods for stronger and faster approximate singular value decomposition") from any start,
// random or better:
//
//	P_{j+1} = orth (A·Q_j, without P₀ … P_j)
//	Q_{j+1} = orth (Aᵀ·P_j, without Q₀ … Q_j)     one multiplication for both
//	PᵀAQ = F·diag(σ)·Gᵀ, U = P·F, V = Q·G         Rayleigh–Ritz on all of them
//
// A symmetric A needs only one basis Q. A full space restarts from the better half of its Ritz
// vectors and continues with their residuals (K. Wu and H. Simon 2000, "Thick-restart Lanczos
// method for large symmetric eigenvalue problems"). All products are kept, so residuals need no
// further multiplication.
//
// [Lanczos] is the single-vector process for the norm of a matrix.
//
// Cost of a multiplication by b columns for spaces of k columns: besides the products, about
// 6·(m+n)·k·b flops to orthonormalise, 4·(m+n)·k·b for PᵀAQ of an m×n matrix, O(k³) for its
// decomposition, and 2·(m+n)·k·(rank) for the Ritz vectors. Memory: 2·(m+n)·k numbers.
package krylov
