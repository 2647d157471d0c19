// Package askls implements AsK-LS, the least-squares support vector machine for kernels that are not symmetric (He, He,
// Shi, Huang & Suykens 2022, "Learning with asymmetric kernels: least squares and feature interpretation", called the
// paper here). A sample has two features, φ_s as a source and φ_t as a target, with K(x, z) = φ_s(x)ᵀφ_t(z), and the
// machine learns a function of each. In the primal, for labels y_i = ±1,
//
//	min ωᵀν + γ/2·Σe_i² + γ/2·Σh_i²      y_i(ωᵀφ_s(x_i) + b₁) = 1 − e_i
//	                                     y_i(νᵀφ_t(x_i) + b₂) = 1 − h_i       (5)
//
// and in the dual, with H_ij = y_i·K(x_i, x_j)·y_j (paper, equation (6)),
//
//	[ 0   0   yᵀ   0  ] [b₁]   [0]
//	[ 0   0   0    yᵀ ] [b₂] = [0]      f_s(x) = Σ β_i·y_i·K(x, x_i) + b₁
//	[ y   0   I/γ  H  ] [α ]   [1]      f_t(x) = Σ α_i·y_i·K(x_i, x) + b₂     (7)
//	[ 0   y   Hᵀ   I/γ] [β ]   [1]
//
// # One matrix for all classes
//
// With a_i = y_i·α_i and b_i = y_i·β_i, the labels move from the matrix to the right side,
//
//	    [ 0   0   1ᵀ   0  ]           [0]
//	M = [ 0   0   0    1ᵀ ]   M·x  =  [0]      f_s(x) = Σ b_i·K(x, x_i) + b₁
//	    [ 1   0   I/γ  K  ]           [y]      f_t(x) = Σ a_i·K(x_i, x) + b₂
//	    [ 0   1   Kᵀ   I/γ]           [y]
//
// so that all classes, learnt one against the rest, share one matrix and its factors. Ridge regularisation shares them
// too, since sign changes are orthogonal. Without the borders, M has the eigenvalues 1/γ and 1/γ ± σ, where σ are the
// singular values of K. It is indefinite if some σ > 1/γ, and singular if some σ = 1/γ.
//
// # Singular systems
//
// This happens on graphs with γ = 1: an isolated node has the row e_i in (A+I) divided by row sums. [Solver.Ridge] λ
// solves (M² + λI)·x = M·r instead, the least squares solution of M·x = r with a penalty λ‖x‖². If the plain system is
// singular (dense and low-rank engines), or the iteration on an explicit matrix does not converge, λ is 1, with a note
// in the report.
//
// # Engines
//
//   - [AlgorithmDense]: forms and factors M: memory for (2n+2)² numbers, O(n³) flops.
//   - [AlgorithmIterative]: MINRES for all classes at once, on exact tiles or a sparse matrix. For rows, the
//     low-rank solution is the preconditioner. Singular values of K close to 1/γ, on both sides of it, may keep the
//     iteration from converging. Then [Fit.NotConverged] is set and the last iterate is kept; for an explicit matrix,
//     the ridge system is solved.
//   - [AlgorithmLowRank]: K ≈ U·Σ·Vᵀ from the asymmetric Nyström method of package ksvd. M then equals 1/γ outside a
//     subspace of 2r+4 dimensions, which one pass finds from triangular factors of [1 U y] and [1 V y]. Cost: O(n·r²)
//     flops, and memory that does not depend on n.
//
// The iterative engine bounds the relative error of its decision values by its residual times its condition number, and
// by 1. The error of the low-rank engine is unknown.
//
// # Merging
//
// [Merge] combines f_s and f_t. Stacking needs out-of-fold values of both, which cost little more than a fit. The dense
// engine computes them from blocks of the inverse. The iterative engine solves the systems of all folds at once. The
// low-rank engine has triangular factors for each fold. Row sums that normalise a kernel are those of all training rows
// times (F−1)/F in every fold of F; the dense engine factors one more system for that.
package askls
