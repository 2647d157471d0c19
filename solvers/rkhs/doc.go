// Package rkhs decomposes operators between reproducing kernel Hilbert spaces that are
// estimated from pairs (x_i, y_i): covariance operators, conditional mean embeddings,
// Koopman and Perron–Frobenius operators, and kernel CCA. It gives their singular value
// decomposition, and eigendecomposition where there is one, with functions that can be
// evaluated at new rows (Mollenhauer, Schuster, Klus & Schütte 2020, "Singular value
// decomposition of operators on reproducing kernel Hilbert spaces", called the paper
// here).
//
//	S = Ψ·B·Φᵀ      Φ = [φ(x_1) … φ(x_n)]      Ψ = [ψ(y_1) … ψ(y_n)]
//
// # How
//
// With features f and g that are coordinates in orthonormal bases of subspaces of the two
// RKHSs, S is a matrix of as many rows and columns as there are features, made of
// Σ f·fᵀ, Σ g·fᵀ and Σ g·gᵀ alone, and the decomposition of S is that of the matrix
// (paper, Corollaries 3.5 and 3.6). The engines differ in the subspace:
//
//	            subspace                        passes  kernel entries      memory
//	exact       the span of all features, to    1       about 2n·r for the  n·r
//	            rounding, found by pivoted              r rows that span
//	            Cholesky: kernel QR                     them, each side
//	landmark    the span of landmarks           1       n·r, each side      r² for each
//	                                                                        partial sum
//
// Both gather rows to choose from first: EngineExact all of them, EngineLandmark a sample.
// EngineExact refuses a kernel whose features have no small span, such as Laplace and Matérn
// kernels of many rows; EngineAuto takes landmarks there.
//
// In the pass the triangular factor R of
// the rows √w_i·(1, f(x_i), g(y_i)) is accumulated: RᵀR are all the sums, and its first
// row is the means, so that centring costs nothing and nothing is squared. The
// singular value decompositions of the parts of R give inverses and inverse roots of
// covariance operators for any ε.
//
// The paper's auxiliary problems, which have n or 2n rows and B itself, are in the tests
// of this package: checks of the above that share nothing with it but the features.
//
// Two slips of the paper's text: equation (5) has R⁻¹ where R belongs, S = Ψ̃·(R_Ψ·B·R_Φᵀ)·Φ̃ᵀ,
// and Appendix A.2 adds ε to the eigenvalues of ΦΦᵀ where Remark 4.1 adds it to those of
// C_XX = ΦΦᵀ/n; here it is the latter, everywhere.
//
// # Eigenvalues
//
// Transfer operators are not symmetric, so eigenvalues and eigenfunctions may be complex.
// The matrix of S on the features of x and of y together is decomposed by LAPACK's
// dgeev. Functions have norm 1 in the RKHS, and their phase makes the
// largest of their coefficients positive.
//
// # Errors
//
// Residuals are of the algebra inside the span of the features. They say nothing of the error of
// landmarks, which is not known. [Fit.TraceResiduals] bound what the features
// miss: they are exact, over all pairs. Comparing fits of m and 2m landmarks shows the error of
// the values.
//
// # Numbers
//
// Results are the same bits for any number of threads.
package rkhs
