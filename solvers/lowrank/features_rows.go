package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// Features returns a maker of functions that put the features of rows into dst,
//
//	f(x) = u(x)·diag(√Values)      f(x)·f(y) ≈ k(x, y)
//
// for a symmetric model without a shift: where the model is of landmarks, these are
// coordinates in an orthonormal basis of their span. dst is x.Rows × Rank, start the
// number of the first row and name the source, for messages. Each function belongs to one
// goroutine, so that a pass can be made over more than this model takes (see [Model.Transform]
// for a pass of its own). Values below zero give features of zero. It panics for a
// model with two sides or a shift. Cost for one row: that of [Embedding].
func (m *Model) Features(name string) func() func(dst, x blas64.General, start int64) error {
	if !m.Symmetric() || m.Shift != 0 {
		panic("lowrank: features of a model with two sides or a shift")
	}
	t := m.tiles(m.Left)
	panel := m.Left.pack()
	root := make([]float64, len(m.Values))
	for i, v := range m.Values {
		root[i] = math.Sqrt(math.Max(0, v))
	}
	return func() func(dst, x blas64.General, start int64) error {
		em := newEmbedder(t, m.Left, panel, name)
		return func(dst, x blas64.General, start int64) error {
			if err := em.embed(dst, x, start); err != nil {
				return err
			}
			dense.ScaleColumns(dst, root)
			return nil
		}
	}
}

// SelfEntries returns a function that puts k(x, x) of rows into dst, about the origin of the left embedding:
// f(x)·f(x) is at most that. It serves several goroutines.
func (m *Model) SelfEntries() func(dst []float64, x blas64.General) {
	t := m.tiles(m.Left)
	return t.SelfEntries
}
