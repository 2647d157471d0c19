package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// Features returns a function that makes workers. A worker stores the features of rows in dst,
//
//	f(x) = u(x)·diag(√Values)      f(x)·f(y) ≈ k(x, y)
//
// for a symmetric model without a shift. For a model with landmarks, these are coordinates in an orthonormal basis of
// their span. dst is x.Rows × Rank, start is the number of the first row, and name is the source, for messages. A
// worker must not be used concurrently. Workers are for passes with several models; [Model.Transform] makes its own
// pass. Negative values give features of zero. Features panics for a model with two sides or a shift. Cost of a row: as
// [Embedding].
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

// SelfEntries returns a function that stores k(x, x) of rows in dst, relative to the origin of the left embedding. It
// is an upper bound of f(x)·f(x). The function is safe for concurrent use.
func (m *Model) SelfEntries() func(dst []float64, x blas64.General) {
	t := m.tiles(m.Left)
	return t.SelfEntries
}
