package lowrank

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Factor is U or V of a model as a product Y·P, for repeated multiplication without storing U. Y has [Factor.Width]
// columns, and each of its rows is a function of a row of the source. P is small and is multiplied by vectors only.
//
//	U = Y·P       U·w = Y·(P·w)       Uᵀ·x = Pᵀ·(Yᵀ·x)
//
// A row of Y takes one kernel entry for each landmark, and no projection.
type Factor struct {
	model *Model
	e     *Embedding
}

// Factor returns the factor of a side. Both sides of a symmetric model have the same one.
func (m *Model) Factor(side model.Side) *Factor {
	if side == model.Right {
		return &Factor{m, m.right()}
	}
	return &Factor{m, m.Left}
}

// Width returns the number of columns of Y.
func (f *Factor) Width() int { return f.e.width() }

// Rank returns the number of columns of U.
func (f *Factor) Rank() int { return f.e.Rank() }

// Entries returns the number of kernel entries, or features, of a row of Y.
func (f *Factor) Entries() int { return f.e.Entries() }

// Lift returns P·w. w has one row for each value of the model.
func (f *Factor) Lift(w blas64.General) blas64.General {
	if f.e.Refinement.Rows > 0 {
		w = dense.Mul(blas.NoTrans, f.e.Refinement, blas.NoTrans, w)
	}
	return dense.Mul(blas.NoTrans, f.e.Projection, blas.NoTrans, w)
}

// Lower returns Pᵀ·z. z has one row for each column of Y.
func (f *Factor) Lower(z blas64.General) blas64.General {
	w := dense.Mul(blas.Trans, f.e.Projection, blas.NoTrans, z)
	if f.e.Refinement.Rows > 0 {
		w = dense.Mul(blas.Trans, f.e.Refinement, blas.NoTrans, w)
	}
	return w
}

// Rows returns a function for one goroutine that computes rows of Y from at most [tilesize.PanelRows] rows of a source.
// start is the number of the first row. The result is valid until the next call. It fails, naming the row, if a kernel
// entry is not finite.
func (f *Factor) Rows(src stream.Info) func(x blas64.General, start int64) (blas64.General, error) {
	return f.model.embedder(f.e, f.e.pack(), src).raw
}
