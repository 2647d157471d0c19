package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Refine makes the factors of the fitted rows orthonormal to rounding: one more
// pass over each source streams the triangular factor of U (and V), and small
// algebra absorbs it, without changing Â. It is the second round of CholeskyQR2
// (Yamamoto et al. 2015). right is nil for a symmetric model.
//
// Cost: one pass over each source, and as many kernel entries as the fit took.
func (m *Model) Refine(ctx context.Context, e stream.Engine, left, right stream.Source) error {
	ru, err := m.factorR(ctx, e, m.Left, left)
	if err != nil {
		return err
	}
	if m.Symmetric() {
		return m.refineSymmetric(ru)
	}
	rv, err := m.factorR(ctx, e, m.Right, right)
	if err != nil {
		return err
	}
	return m.refineRectangular(ru, rv)
}

// factorR streams the triangular factor of the embedding of all rows.
func (m *Model) factorR(ctx context.Context, e stream.Engine, side *Embedding, src stream.Source) (blas64.General, error) {
	r := side.Rank()
	if r == 0 {
		return stream.NewMatrix(0, 0), nil
	}
	t := m.tiles(side)
	p := side.pack(t)
	qr, err := stream.Fold(ctx, e, "orthonormalise", src, func() *sketch.QR { return sketch.NewQR(r) }, func() func(*sketch.QR, *stream.Block) error {
		em := t.embedder(side, p, src.Info().Name)
		u := stream.NewMatrix(stream.PanelRows, r)
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
	})
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
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
	for side, r := range map[*Embedding]blas64.General{m.Left: ru, m.Right: rv} {
		if err := side.absorbable(r); err != nil {
			return err
		}
	}
	core, err := newSVD("the refined core", mul(blas.NoTrans, scaleCols(ru, m.Values), blas.Trans, rv))
	if err != nil {
		return err
	}
	m.Values = core.S
	m.Left.absorb(ru, core.U)
	m.Right.absorb(rv, core.V)
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
		return fmt.Errorf("the factors cannot be made orthonormal: their condition is %.1e after the first round; lower --rank", most/least)
	}
	return nil
}

// absorb sets the refinement to R⁻¹·G.
func (e *Embedding) absorb(r, g blas64.General) {
	x := stream.NewMatrix(g.Rows, g.Cols)
	for i := range g.Rows {
		copy(rowOf(x, i), rowOf(g, i))
	}
	if r.Rows > 0 {
		blas64.Trsm(blas.Left, blas.NoTrans, 1, blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r.Rows, Stride: r.Stride, Data: r.Data}, x)
	}
	e.Refinement = x
}
