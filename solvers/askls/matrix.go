package askls

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/stream"
)

// matrix is K between the training samples.
type matrix interface {
	// Multiply puts K·q into kq and Kᵀ·p into ktp.
	Multiply(ctx context.Context, q, kq, p, ktp blas64.General) error
	// Held returns K in memory, not to be changed, if it was asked for.
	Held() blas64.General
	// Entries returns how many kernel entries were evaluated.
	Entries() int64
}

// newMatrix makes K ready; form says that it shall be held.
func newMatrix(ctx context.Context, e stream.Engine, d *Data, kernel kernelgen.Kernel, form bool) (matrix, error) {
	if d.explicit() {
		return explicitMatrix{d, e}, nil
	}
	k, err := ksvd.NewMatrix(ctx, e, d.sides, kernel, form)
	if err != nil {
		return nil, err
	}
	if held := k.Held(); form {
		if i, j, found := dense.NotFinite(held); found {
			return nil, fmt.Errorf("kernel %s is %v between samples %d and %d: scale the columns (`scale standard`) or change the kernel", kernel, held.Data[i*held.Stride+j], i, j)
		}
	}
	return k, nil
}

// explicitMatrix is a sparse K in memory.
type explicitMatrix struct {
	*Data
	engine stream.Engine
}

func (m explicitMatrix) Entries() int64 { return 0 }

func (m explicitMatrix) Held() blas64.General {
	held := stream.NewMatrix(m.k.Rows, m.k.Cols)
	for e := range m.k.Entries() {
		held.Data[int(e.Row)*held.Stride+int(e.Col)] += e.Value
	}
	return held
}

// Multiply costs two flops for each entry and column. A row of the result is one
// worker's.
func (m explicitMatrix) Multiply(ctx context.Context, q, kq, p, ktp blas64.General) error {
	rows := stream.NewRowNumbers(m.name, int64(m.k.Rows))
	return stream.Map(ctx, m.engine, "product", rows, 0, false, func() func(blas64.General, *stream.Block) error {
		return func(_ blas64.General, b *stream.Block) error {
			for i := int(b.Start); i < int(b.Start)+b.X.Rows; i++ {
				addRow(dense.Row(kq, i), m.k, i, q)
				addRow(dense.Row(ktp, i), m.back, i, p)
			}
			return nil
		}
	}, func(*stream.Block, blas64.General) error { return nil })
}

// addRow makes dst row i of k times x.
func addRow(dst []float64, k *stream.CSR, i int, x blas64.General) {
	clear(dst)
	index, value := k.Row(i)
	for e, j := range index {
		v := 1.0
		if value != nil {
			v = value[e]
		}
		dense.Axpy(v, dense.Row(x, int(j)), dst)
	}
}
