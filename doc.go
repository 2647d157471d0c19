// Package nystream names the module: the library is in its packages.
//
// Start with [github.com/nystream/nystream/blockstore] to open files,
// [github.com/nystream/nystream/kernelgen] for kernels and
// [github.com/nystream/nystream/solvers/lowrank] for low-rank models of kernel
// matrices. Package [github.com/nystream/nystream/solvers/model] has the contract that
// all families of solvers follow. The command is in cmd/nystream.
package nystream
