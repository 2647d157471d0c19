package lowrank

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Refine makes the factors of the fitted rows orthonormal to rounding: one more
// pass over each source streams the triangular factor of U (and V), and small
// algebra absorbs it, without changing Â. It is the second round of CholeskyQR2
// (Yamamoto et al. 2015). d are the sources of the fit.
//
// Cost: one pass over each source, and as many kernel entries as the fit took.
func (m *Model) Refine(ctx context.Context, e stream.Engine, d model.Sources) error {
	if m.Right != nil && d.Right == nil {
		r, err := m.factorR(ctx, e, d.Left, m.Left, m.Right)
		if err != nil {
			return err
		}
		return m.refineRectangular(r[0], r[1])
	}
	u, err := m.factorR(ctx, e, d.Left, m.Left)
	if err != nil {
		return err
	}
	switch {
	case m.Symmetric():
		return m.refineSymmetric(u[0])
	case m.Explicit != nil:
		return m.refineExplicit(u[0])
	}
	v, err := m.factorR(ctx, e, d.Right, m.Right)
	if err != nil {
		return err
	}
	return m.refineRectangular(u[0], v[0])
}

// Refine is [Model.Refine], and adds its pass and kernel entries to the report.
func (f *Fit) Refine(ctx context.Context, e stream.Engine, d model.Sources) error {
	err := f.Model.Refine(ctx, e, d)
	if err != nil || f.Left.Rank() == 0 {
		return err
	}
	f.SourcePasses++
	f.KernelEntries += f.Model.Rows * int64(f.Left.Landmarks.Rows)
	if f.Right != nil {
		f.KernelEntries += f.Cols * int64(f.Right.Landmarks.Rows)
	}
	return nil
}

// factorR streams the triangular factors of the embeddings of all rows, in one
// pass.
func (m *Model) factorR(ctx context.Context, e stream.Engine, src stream.Source, sides ...*Embedding) ([]blas64.General, error) {
	if sides[0].Rank() == 0 {
		return make([]blas64.General, len(sides)), nil
	}
	newFactors := func() (set sketch.List[*sketch.QR]) {
		for _, side := range sides {
			set = append(set, sketch.NewQR(side.Rank()))
		}
		return set
	}
	set, err := stream.Fold(ctx, e, "orthonormalise", src, newFactors, func() func(sketch.List[*sketch.QR], *stream.Block) error {
		adders := make([]func(*sketch.QR, *stream.Block) error, len(sides))
		for i, side := range sides {
			adders[i] = m.factorAdder(side, src.Info())
		}
		return func(acc sketch.List[*sketch.QR], b *stream.Block) error {
			for i, add := range adders {
				if err := add(acc[i], b); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	var factors []blas64.General
	for _, f := range set {
		factors = append(factors, f.R())
	}
	return factors, nil
}

// factorAdder returns the function that adds a block's embedding to a factor.
func (m *Model) factorAdder(side *Embedding, src stream.Info) func(*sketch.QR, *stream.Block) error {
	em := m.embedder(side, src)
	u := stream.NewMatrix(stream.PanelRows, side.Rank())
	return func(acc *sketch.QR, b *stream.Block) error {
		for first, x := range b.Panels(stream.PanelRows) {
			part := stream.RowSlice(u, 0, x.Rows)
			if err := em.embed(part, x, b.Start+int64(first)); err != nil {
				return err
			}
			if err := acc.Add(part); err != nil {
				return err
			}
		}
		return nil
	}
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
	return nil
}

// refineRectangular: likewise with an SVD.
func (m *Model) refineRectangular(ru, rv blas64.General) error {
	if err := cmp.Or(m.Left.absorbable(ru), m.Right.absorbable(rv)); err != nil {
		return err
	}
	core, err := newSVD("the refined core", dense.Mul(blas.NoTrans, scaledColumns(ru, m.Values), blas.Trans, rv))
	if err != nil {
		return err
	}
	m.Values = core.S
	m.Left.absorb(ru, core.U)
	m.Right.absorb(rv, core.V)
	return nil
}

// refineExplicit: likewise, with V as it is orthonormal already.
func (m *Model) refineExplicit(ru blas64.General) error {
	if err := m.Left.absorbable(ru); err != nil {
		return err
	}
	core, err := newSVD("the refined core", scaledColumns(ru, m.Values))
	if err != nil {
		return err
	}
	m.Values = core.S
	m.Left.absorb(ru, core.U)
	m.Explicit.V = dense.Mul(blas.NoTrans, m.Explicit.V, blas.NoTrans, core.V)
	return nil
}

// absorbable checks that the columns of U are near enough to orthonormal for
// one round to finish the work.
func (e *Embedding) absorbable(r blas64.General) error {
	s, err := newSVD("the factor of U", r)
	if err != nil || len(s.S) == 0 {
		return err
	}
	if least, most := s.S[len(s.S)-1], s.S[0]; least < 0.01*most {
		return fmt.Errorf("the factors cannot be made orthonormal: their condition is %.1e after the first round; lower `rank`", most/least)
	}
	return nil
}

// absorb sets the refinement to R⁻¹·G.
func (e *Embedding) absorb(r, g blas64.General) {
	x := stream.NewMatrix(g.Rows, g.Cols)
	for i := range g.Rows {
		copy(dense.Row(x, i), dense.Row(g, i))
	}
	if r.Rows > 0 {
		blas64.Trsm(blas.Left, blas.NoTrans, 1, blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r.Rows, Stride: r.Stride, Data: r.Data}, x)
	}
	e.Refinement = x
}
