package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Refine makes the factors of the fitted rows orthonormal up to rounding, without changing Â. One more pass over each
// source streams the triangular factor of U (and V), which is absorbed by the model. It is the second round of
// CholeskyQR2 (Yamamoto et al. 2015). d must be the sources of the fit. Refine changes the model: it must not run
// concurrently with other methods.
//
// Cost: one pass over each source, with the kernel entries of the fit.
func (m *Model) Refine(ctx context.Context, e stream.Engine, d model.Sources) error {
	e, err := family.ForModel(e, m)
	if err != nil {
		return err
	}
	sides := []*Embedding{m.Left}
	if m.Right != nil && d.Right == nil {
		sides = append(sides, m.Right)
	}
	r, err := m.factorR(ctx, e, d.Left, sides...)
	if err != nil {
		return err
	}
	if m.Right != nil && d.Right != nil {
		right, err := m.factorR(ctx, e, d.Right, m.Right)
		if err != nil {
			return err
		}
		r = append(r, right...)
	}
	if m.Symmetric() {
		return m.refineSymmetric(r[0])
	}
	return m.refineTwo(r)
}

// Refine is [Model.Refine], and adds its pass and kernel entries to the report.
func (f *Fit) Refine(ctx context.Context, e stream.Engine, d model.Sources) error {
	err := f.Model.Refine(ctx, e, d)
	if err != nil || f.Left.Rank() == 0 {
		return err
	}
	f.SourcePasses++
	f.KernelEntries += f.Model.Rows * (int64(f.Left.Landmarks.Rows) + f.Sums.count())
	if f.Right != nil {
		f.KernelEntries += f.Cols * int64(f.Right.Landmarks.Rows)
	}
	return nil
}

// factorR computes the triangular factors of the embeddings of all rows in one pass.
func (m *Model) factorR(ctx context.Context, e stream.Engine, src stream.Source, sides ...*Embedding) ([]blas64.General, error) {
	if sides[0].Rank() == 0 {
		return make([]blas64.General, len(sides)), nil
	}
	var features []basis.Features
	for _, side := range sides {
		panel := side.pack()
		features = append(features, basis.Features{Width: side.Rank(), Worker: func() func(dst, x blas64.General, start int64) error {
			return m.rowEmbedder(side, panel, src.Info()).embed
		}})
	}
	return streamFactors(ctx, e, "orthonormalise", src, features...)
}

// refineSymmetric: U = U'·R, so U·diag(λ)·Uᵀ = U'·(R·diag(λ)·Rᵀ)·U'ᵀ.
func (m *Model) refineSymmetric(r blas64.General) error {
	if err := m.Left.absorbable(r); err != nil {
		return err
	}
	eig, err := newEigen("the refined core", congruence(r, m.Values))
	if err != nil {
		return err
	}
	m.Values = eig.Values
	m.Left.absorb(r, eig.Vectors)
	m.changeBasis(dense.Mul(blas.Trans, eig.Vectors, blas.NoTrans, r))
	return nil
}

// refineTwo: likewise with an SVD. V of an explicit matrix is orthonormal already.
func (m *Model) refineTwo(r []blas64.General) error {
	if err := m.Left.absorbable(r[0]); err != nil {
		return err
	}
	product := scaledColumns(r[0], m.Values)
	if m.Right != nil {
		if err := m.Right.absorbable(r[1]); err != nil {
			return err
		}
		product = dense.Mul(blas.NoTrans, product, blas.Trans, r[1])
	}
	core, err := newSVD("the refined core", product)
	if err != nil {
		return err
	}
	m.Values = core.S
	m.Left.absorb(r[0], core.U)
	if m.Right != nil {
		m.Right.absorb(r[1], core.V)
		return nil
	}
	m.Explicit.V = dense.Mul(blas.NoTrans, m.Explicit.V, blas.NoTrans, core.V)
	return nil
}

// absorbable fails unless the columns of U are close enough to orthonormal for a single round.
func (e *Embedding) absorbable(r blas64.General) error {
	s, err := newSVD("the factor of U", r)
	if err != nil || len(s.S) == 0 {
		return err
	}
	if least, most := s.S[len(s.S)-1], s.S[0]; least < 0.01*most {
		return fmt.Errorf("the factors cannot be made orthonormal: their condition is %.1e after the first round; lower `Rank`", most/least)
	}
	return nil
}

// absorb sets the refinement to R⁻¹·G.
func (e *Embedding) absorb(r, g blas64.General) {
	x := matrix.Clone(g)
	if r.Rows > 0 {
		blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(r), x)
	}
	e.Refinement = x
}
