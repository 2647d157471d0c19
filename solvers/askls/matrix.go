package askls

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// kernelMatrix is K between the training samples.
type kernelMatrix interface {
	// Multiply stores K·q in kq and Kᵀ·p in ktp.
	Multiply(ctx context.Context, q, kq, p, ktp blas64.General) error
	// Held returns the entries of K if newMatrix kept them. They must not be changed.
	Held() blas64.General
	// Entries returns the number of kernel entries evaluated.
	Entries() int64
}

// newMatrix prepares K for products. form keeps its entries in memory.
func newMatrix(ctx context.Context, e stream.Engine, d *Data, kernel kernelgen.Kernel, form bool) (kernelMatrix, error) {
	if d.explicit() {
		return explicitMatrix{d, e.Threads}, nil
	}
	return ksvd.NewMatrix(ctx, e, d.sides, kernel, form)
}

// explicitMatrix is a sparse K in memory.
type explicitMatrix struct {
	*Data
	threads int
}

func (m explicitMatrix) Entries() int64 { return 0 }

func (m explicitMatrix) Held() blas64.General {
	held := matrix.New(m.k.Rows, m.k.Cols)
	for e := range m.k.Entries() {
		held.Data[int(e.Row)*held.Stride+int(e.Col)] += e.Value
	}
	return held
}

// sparseRows is the number of rows of a product that a worker computes at a time.
const sparseRows = 256

// Multiply implements matrix. Cost: two flops for each entry and column.
func (m explicitMatrix) Multiply(ctx context.Context, q, kq, p, ktp blas64.General) error {
	return stream.Each(ctx, m.threads, (m.k.Rows+sparseRows-1)/sparseRows, func(block int) error {
		for i := block * sparseRows; i < min(m.k.Rows, (block+1)*sparseRows); i++ {
			addRow(matrix.Row(kq, i), m.k, i, q)
			addRow(matrix.Row(ktp, i), m.back, i, p)
		}
		return nil
	})
}

// addRow stores row i of k·x in dst.
func addRow(dst []float64, k *sparse.CSR, i int, x blas64.General) {
	clear(dst)
	index, value := k.Row(i)
	for e, j := range index {
		v := 1.0
		if value != nil {
			v = value[e]
		}
		matrix.Axpy(v, matrix.Row(x, int(j)), dst)
	}
}
