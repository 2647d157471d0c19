package kernelgen

import "gonum.org/v1/gonum/blas/blas64"

// Tiles are computed in pieces of at most blockRows × blockCols entries, so that a base stays in cache while profiles
// are applied.
const (
	blockRows = 32
	blockCols = 128 // a multiple of simd.Lanes
	blockSize = blockRows * blockCols
)

// Workspace is scratch memory for [Kernel.Fill] and [Kernel.Diag]. The zero value is ready to use. On first use it
// grows to 32 KiB for every base and every level of the kernel, plus 256·cols bytes for cosines and for divergences;
// this is below 300 KiB for usual sums and products, for any size of the tile. It must not be used concurrently. It may
// be reused with different kernels.
type Workspace struct {
	bases  [numBases][]float64
	unit   []float64
	shares []float64
	free   [][]float64
}

// base returns the buffer of base b, of length n ≤ blockSize.
func (w *Workspace) base(b Base, n int) []float64 {
	if w.bases[b] == nil {
		w.bases[b] = make([]float64, blockSize)
	}
	return w.bases[b][:n]
}

// take lends a vector of length n ≤ blockSize until it is given back.
func (w *Workspace) take(n int) []float64 {
	last := len(w.free) - 1
	if last < 0 {
		return make([]float64, n, blockSize)
	}
	v := w.free[last]
	w.free = w.free[:last]
	return v[:n]
}

func (w *Workspace) give(v []float64) { w.free = append(w.free, v) }

// unitBlock returns the rows divided by their norms, in the memory of the workspace.
func (w *Workspace) unitBlock(rows blas64.General) blas64.General {
	unit := unitRows(rows, w.unit)
	w.unit = unit.Data
	return unit
}

// shareBlock returns the left side of divergences of rows, in the memory of the workspace.
func (w *Workspace) shareBlock(rows blas64.General) blas64.General {
	left := shareRows(rows, w.shares)
	w.shares = left.Data
	return left
}
