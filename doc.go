// Package nystream computes low-rank approximations of kernel matrices that are too large to form, in one
// pass over the rows, after the landmark rows are fetched. The rows are in files or in memory.
//
// # A fit
//
//	src, err := blockstore.Open(ctx, []string{"rows.parquet"}, blockstore.Options{}) // or FromDense(m)
//	if err != nil {
//		return err
//	}
//	fit, err := nystream.Fit(ctx, src, kernelgen.RBF(0.5), lowrank.Landmark{Rank: 50})
//
// A fit is a model A ≈ U·diag(Values)·Uᵀ and a report of it: the estimated error, the passes, the kernel
// entries. Factors returns U of the fitted rows, and Transform gives it for new ones, block by block.
// ToDense and Dense return rows and results as matrices of gonum. Examples show limits of memory, structs, rows
// from a channel, rows that come once, shards, a fit that goes on after a stop, errors, and the data of another
// family. Those of modelfile show a saved model, a server that reloads it, and one row; those of kernelgen a
// kernel of your own, and those of stream a source and an accumulator of your own.
//
// # Packages
//
//	blockstore         opens CSV, Parquet, NumPy, Arrow and other files
//	stream             sources of rows, and passes over them
//	kernelgen          kernels
//	kernelgen/tiles    tiles of a kernel matrix, for methods of your own
//	solvers/lowrank    low-rank models of kernel matrices; kernel PCA, clusters, novelty
//	solvers/ridge      regression and classification
//	solvers/ksvd       singular vectors of asymmetric kernels and directed graphs
//	solvers/rkhs       operators between RKHSs: CCA, Koopman, conditional means
//	solvers/ism        interpretable dimension reduction
//	solvers/askls      classifiers from asymmetric kernels
//	solvers/transport  entropic optimal transport
//	solvers/modelfile  models in files
//
// [FitData] takes the data of any of these families, and [FitWith] an engine: threads, a limit of memory, progress,
// states of passes. modelfile.Open gives a model of any family that takes raw
// rows, block by block or one at a time. Package solvers/model says what they share: the plan of
// a fit, its report, and what a model can do. The command is in cmd/nystream.
package nystream
