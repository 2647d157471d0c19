// Package ksvd computes the nonlinear singular value decomposition of data with two
// sides: KSVD, and the asymmetric Nyström method (Tao, Tonin, Patrinos & Suykens,
// "Nonlinear SVD with asymmetric kernels: feature learning and asymmetric Nyström
// method", called the paper here). With rows x_i on the left and z_j on the right,
//
//	G_ij = κ(Cᵀx_i, z_j)      centred or not      G ≈ U·diag(values)·Vᵀ
//
// where κ need not be symmetric: it may be divided by its row sums (sne, t, softmax) or be a divergence. G is evaluated
// in tiles and not formed, unless it is small. Both sides are functions of a row ([Factor]), so new rows can be
// embedded.
//
// # Two sides
//
//   - [Between]: two sources, such as queries and keys.
//   - [RowsAndColumns]: the rows and the columns of one matrix. If the matrix is not square, a [Compatibility]
//     brings them to a common length.
//   - [Graph]: the rows and columns of the adjacency matrix of a directed graph. They stay sparse: the cost of a
//     tile is its entries and the paths of two edges through it. The caller adds self-loops and scales by degrees, see
//     sparse.CSR. New nodes are [sparse.Rows].
//
// # Methods and passes
//
// [Auto] chooses between Exact and Nystrom. Fits resolve the words of a kernel on up to 1,000 rows ([Data.Sample]).
//
//	            passes over each side                     entries of G
//	Exact       1, which loads the rows                   N·M for each iteration, once if
//	                                                      N·M ≤ MaxFormed; and once for row sums
//	Nystrom     none (ScaleDerived), 1 for ScaleUnit      n·m, and N·m + n·M for each pass
//	            and ScaleOrthonormal; and 1 to
//	            write factors
//	  exact     1, which loads the rows                   N·M for row sums, N·M for means; for
//	  sums                                                a graph, its paths of two edges instead
//	SSRSVD      1, after gathering                        see lowrank.SSRSVD
//
// Nystrom also evaluates entries between its samples and held-back rows. From these it estimates the residuals of its
// triplets ([Fit.EstimatedResiduals]), the missed singular directions of G ([Fit.Directions]), and the error of the
// matrix in both norms. [Model.Verify] measures errors and residuals on all entries.
//
// Methods gather selected rows by number, which takes a pass for sources without random access ([stream.Gather]).
//
// # Row sums and means
//
// A kernel that is normalised by its row sums needs them for every row x, over all z_j, and centring needs the means of
// G. [Sums] selects exact values or estimates from the samples. Models can compute the same sums for new rows. Sums of
// exponentials are kept as logarithms, to avoid overflow and underflow.
//
// # Numbers
//
// Results have the same bits for any number of threads. The sign of singular vectors makes the largest entry of v_s
// positive; for Nystrom, the largest among the sampled columns.
package ksvd
