// Package lowrank approximates a matrix A = f∘(M) that is too large to form by
//
//	Â = U·diag(values)·Uᵀ + shift·I      A symmetric positive semi-definite
//	Â = U·diag(values)·Vᵀ                A rectangular or asymmetric
//
// in one pass over each source of rows, after fetching the landmark rows. A is a kernel between the rows of one source,
// the rows of two sources, or an element-wise function of a matrix on disk.
//
// # One pass
//
// Most methods evaluate A between all rows and a few landmarks ([RFF] needs none; [Subspace] and [RPCholesky] load all
// rows). They first gather the landmarks in memory. Then one pass streams every row and accumulates a small triangular
// factor. U is not stored: its rows are a function of the rows of the source, an [Embedding], which also applies to new
// rows.
//
// # Orthonormality
//
// With Y = K(·, landmarks)·Ĉ and the streamed triangular factor R of Y, Q = Y·T with T = V·S⁻¹ from the SVD of R, with
// small singular values cut off at [RankTolerance]. Q is orthonormal only to about ε·cond(Y): strong directions are
// accurate, the weakest are not. For factors of the fitted rows that are orthonormal up to rounding, [Model.Refine]
// streams the triangular factor of U itself, the second round of CholeskyQR2 (Yamamoto et al. 2015). It takes one more
// pass, and writing the factors another.
//
// # Methods
//
// A [Method] plans and fits; all return a [Fit]. Sources, shapes, plans and archives are
// those of package solvers/model.
//
//   - [S3SPSD]: Xie et al. (2023), Algorithm 5, with a fitted shift or that of the paper.
//   - [SSRSVD]: Xie et al. (2023), Algorithm 4, for two sources or one.
//   - [SSRSVDMatrix]: an explicit matrix, by a randomized SVD in one pass.
//   - [Landmark]: all landmark columns are kept instead of being compressed by signs, and the core is fitted by
//     least squares, for one source or two; the default.
//   - [Adaptive]: the landmark method with the error given instead of the rank.
//   - [Auto]: chooses among these methods, and reports why.
//   - [Nystrom]: as many landmarks as the rank, and no least squares.
//   - [PCA]: kernel principal components, centred, on landmarks.
//   - [RPCholesky]: randomly pivoted Cholesky over all rows, with the rows in memory.
//   - [RFF]: random Fourier features, for kernels of a difference; no landmarks.
//   - [Subspace]: block Krylov iteration on all entries, a few times over, with the rows in memory.
//
// Landmarks are chosen uniformly, or by a [Rule] from the kernel between sampled rows.
//
// # Error estimates
//
// Every [Fit] has estimates of its relative error in the spectral and in the Frobenius norm, from the entries of A
// between its landmarks and a sample of other rows. They take no pass. [Model.Verify] measures the errors.
// TestEstimateCalibration compares the estimates with dense computations.
package lowrank
