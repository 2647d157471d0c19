// Package rkhs decomposes operators between reproducing kernel Hilbert spaces that are estimated from pairs (x_i, y_i):
// covariance operators, conditional mean embeddings, Koopman and Perron–Frobenius operators, and kernel CCA. It
// computes their singular value decomposition or eigendecomposition, with functions that can be evaluated at new rows
// (Mollenhauer, Schuster, Klus & Schütte 2020, "Singular value decomposition of operators on reproducing kernel Hilbert
// spaces", called the paper here).
//
//	S = Ψ·B·Φᵀ      Φ = [φ(x_1) … φ(x_n)]      Ψ = [ψ(y_1) … ψ(y_n)]
//
// # Method
//
// Features f and g are coordinates in orthonormal bases of subspaces of the two RKHSs. In these bases S is a matrix
// computed from Σ f·fᵀ, Σ g·fᵀ and Σ g·gᵀ alone, and the decomposition of the matrix gives that of S (paper,
// Corollaries 3.5 and 3.6). The engines differ in the subspace:
//
//	            subspace                        passes  kernel entries      memory
//	exact       the span of all features, to    1       about 2n·r for the  n·r
//	            rounding, found by pivoted              r rows that span
//	            Cholesky: kernel QR                     them, each side
//	landmark    the span of landmarks           1       n·r, each side      r² for each
//	                                                                        partial sum
//
// Both first gather candidate rows: AlgorithmExact all of them, AlgorithmLandmark a sample. AlgorithmExact refuses a
// kernel whose features have no small span, such as Laplace and Matérn kernels of many rows; AlgorithmAuto then uses
// landmarks.
//
// The pass accumulates the triangular factor R of the rows √w_i·(1, f(x_i), g(y_i)). RᵀR has all the sums, without
// squaring the condition number, and the first row of R has the means, so centring is free. Singular value
// decompositions of the blocks of R give inverses and inverse square roots of covariance operators for any ε.
//
// The tests of this package solve the paper's auxiliary problems of n or 2n rows with B itself, as an independent check
// that shares only the features.
//
// The paper has two misprints. Equation (5) should have R instead of R⁻¹: S = Ψ̃·(R_Ψ·B·R_Φᵀ)·Φ̃ᵀ. Appendix A.2 adds ε
// to the eigenvalues of ΦΦᵀ, but Remark 4.1 to those of C_XX = ΦΦᵀ/n; this package always does the latter.
//
// # Eigenvalues
//
// Transfer operators are not symmetric, so eigenvalues and eigenfunctions may be complex. LAPACK's dgeev decomposes the
// matrix of S on the joint features of x and y. Functions have norm 1 in the RKHS, and a phase that makes their largest
// coefficient positive.
//
// # Errors
//
// Residuals measure the algebra within the span of the features. They do not include the error of landmarks, which is
// unknown. [Fit.TraceResiduals] are the exact fractions of the traces outside the span, over all pairs. Compare fits
// with m and 2m landmarks to estimate the error of the values.
//
// # Numbers
//
// Results have the same bits for any number of threads.
package rkhs
