// Package lowrank approximates a matrix A = f∘(M) that is too large to form by
//
//	Â = U·diag(values)·Uᵀ + shift·I      A symmetric positive semi-definite
//	Â = U·diag(values)·Vᵀ                A rectangular or asymmetric
//
// from one pass over each source of rows, after the landmark rows are fetched. A is a kernel between the rows of one
// source, the rows of two sources, or an element-wise function of a matrix on
// disk.
//
// # One pass is enough
//
// Most methods here look at A through a few rows of the sources, the landmarks
// ([RFF] at none; [Subspace] and [RPCholesky] load all rows). They are gathered first and
// kept in memory; then every row streams
// past them once, and only a small triangular factor remains of what was
// computed. A column of U is never stored: it is a function of a row, an
// [Embedding], which holds for rows never seen as well.
//
// # Orthonormal to what
//
// With Y = K(·, landmarks)·Ĉ and the streamed triangular factor R of Y,
// Q = Y·T with T = V·S⁻¹ from the SVD of R, small singular values cut off at
// [RankTolerance]. Q is orthonormal only to about ε·cond(Y): its strong
// directions are fine, its weakest are not. When the factors of the fitted rows
// are wanted, [Model.Refine] streams the triangular factor of U itself, the second
// round of CholeskyQR2 (Yamamoto et al. 2015), and the factors come out
// orthonormal to rounding. It takes one pass more, and writing them another.
//
// # Methods
//
// A [Method] plans and fits; all return a [Fit]. Sources, shapes, plans and archives are
// those of package solvers/model.
//
//   - [S3SPSD]: Xie et al. (2023), Algorithm 5, with a shift that is fitted or
//     that of the paper.
//   - [SSRSVD]: Xie et al. (2023), Algorithm 4, for two sources or one.
//   - [SSRSVDMatrix]: an explicit matrix, by a randomized SVD in one pass.
//   - [Landmark]: all landmark columns are kept instead of being compressed by
//     signs, and the core is fitted by least squares, for one source or two; the
//     default.
//   - [Adaptive]: the landmark method with the error given instead of the rank.
//   - [Auto]: chooses among the methods here, and says why.
//   - [Nystrom]: as many landmarks as the rank, and no least squares.
//   - [PCA]: kernel principal components, centred, on landmarks.
//   - [RPCholesky]: randomly pivoted Cholesky over all rows, with the rows in memory.
//   - [RFF]: random Fourier features, for kernels of a difference; no landmarks.
//   - [Subspace]: block Krylov iteration on all entries, a few times over, with
//     the rows in memory.
//
// Landmarks are chosen uniformly or by a [Rule] that looks at the kernel
// between sampled rows.
//
// # What is known of the error
//
// Every [Fit] has estimates of its relative error in the spectral and in the
// Frobenius norm, from the entries of A between its landmarks and a sample of other
// rows: no pass is made for them, and [Model.Verify] measures. TestEstimateCalibration
// holds them against dense computations.
package lowrank
