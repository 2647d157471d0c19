package ksvd

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Matrix is the kernel matrix G of data, not centred, ready to multiply with: for
// solvers of linear systems in G, and for functions of a row that are sums over all
// rows of the other side.
type Matrix struct {
	fit *exact
	op  krylov.Operator
}

// NewMatrix loads both sides and works out the row sums of a normalised kernel. form
// says that all entries shall be held in memory, as they are anyway up to
// [HeldEntries].
//
// Cost: one pass over each side; for a normalised kernel one over all entries, and one
// more where they are held. Memory: the rows twice, and N·M numbers if held.
func NewMatrix(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel, form bool) (*Matrix, error) {
	t, err := newEntries(k, d.sparse())
	if err != nil {
		return nil, err
	}
	m := &Matrix{fit: &exact{Exact: Exact{Rank: 1}, engine: e, data: d, entries: t}}
	if m.fit.left, m.fit.right, err = d.load(ctx, t); err != nil {
		return nil, err
	}
	if m.op, err = m.fit.operator(ctx); err != nil {
		return nil, err
	}
	if tiles, ok := m.op.(*exactOperator); ok && form {
		m.op, err = tiles.hold(ctx)
	}
	return m, err
}

// Multiply puts G·q into gq and Gᵀ·p into gtp. Cost: an exact pass unless the entries
// are held, and 4·N·M flops for each column of q and p.
func (m *Matrix) Multiply(ctx context.Context, q, gq, p, gtp blas64.General) error {
	return m.op.Multiply(ctx, q, gq, p, gtp)
}

// Held returns G in memory, not to be changed; empty unless NewMatrix was told to form it,
// or it is small.
func (m *Matrix) Held() blas64.General {
	if held, ok := m.op.(krylov.Matrix); ok {
		return held.General
	}
	return blas64.General{}
}

// Entries returns how many entries of G were evaluated.
func (m *Matrix) Entries() int64 { return m.fit.entries.count.Load() }

// Functions returns a model whose sides are the functions of a row
//
//	u(x) = Σ_j G(x, z_j)·left_j      v(z) = Σ_i G(x_i, z)·right_i
//
// for left of M rows and right of N, with as many columns as each other. The model
// shares them and the rows, all of which are its landmarks; its Values are 1.
func (m *Matrix) Functions(left, right blas64.General) *Model {
	model := m.fit.model(&krylov.Triplets{Values: slices.Repeat([]float64{1}, left.Cols), U: right, V: left})
	model.Method = "functions"
	return model
}
