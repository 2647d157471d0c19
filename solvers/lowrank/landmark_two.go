package lowrank

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// checkTwo returns an error unless the method can serve for two sources.
func (m Landmark) checkTwo(k kernelgen.Kernel) error {
	if m.Choice != ChoiceUniform && m.Choice != ChoiceAuto {
		return fmt.Errorf("`landmarks %s` is for the symmetric matrix of one source: between two they are uniform", m.Choice)
	}
	return cmp.Or(m.Shift.ofTwoFactors(), k.CheckPlain())
}

// fitTwo approximates the kernel matrix between the rows of two sources.
//
// Cost: one pass over each source after gathering.
func (m Landmark) fitTwo(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := cmp.Or(d.Check(), m.checkTwo(k)); err != nil {
		return nil, err
	}
	k, err := model.Resolve(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	t := newTiles(k, m.Precision)
	l, err := m.sideOf(ctx, t, d.Left, "left")
	if err != nil {
		return nil, err
	}
	r, err := m.sideOf(ctx, t, d.Right, "right")
	if err != nil {
		return nil, err
	}
	if err := t.chooseUnit(l.landmarks.rows, r.landmarks); err != nil {
		return nil, err
	}
	if err := cmp.Or(t.boundSingle(r.landmarks, nil, l.core, l.held), t.boundSingle(l.landmarks, nil, r.core, r.held)); err != nil {
		return nil, err
	}
	u, condU, _, err := t.landmarkRange(ctx, e, d.Left, r.landmarks)
	if err != nil {
		return nil, err
	}
	v, condV, _, err := t.landmarkRange(ctx, e, d.Right, l.landmarks)
	if err != nil {
		return nil, err
	}
	found, err := m.finishTwo(ctx, e, t, u, v, l, r)
	if err != nil {
		return nil, err
	}
	found.Rows, found.Cols = l.n, r.n
	notes := append(append(l.points.notes, r.points.notes...), t.rankNote(len(found.Values), m.Rank)...)
	return finishFit(t, found, notes, math.Max(condU, condV), l.held, r.held, math.NaN())
}

// landmarkSide is what the rectangular method gathers from one source.
type landmarkSide struct {
	n                     int64
	points                *landmarkPoints
	landmarks, core, held *panel
}

func (m Landmark) sideOf(ctx context.Context, t *tiles, src stream.Source, side string) (*landmarkSide, error) {
	n := src.Info().Rows
	points, err := m.points(n, side+" J", side+" S")
	if err != nil {
		return nil, err
	}
	s := &landmarkSide{n: n, points: points}
	held := heldBackRows(n, heldBack(len(s.points.landmarks)), m.Seed, side+" held back", s.points.landmarks, s.points.core)
	panels, err := t.gatherSets(ctx, src, rowSet{numbers: s.points.landmarks}, rowSet{numbers: s.points.core}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	s.landmarks, s.core, s.held = panels[0], panels[1], panels[2]
	return s, nil
}

func (m Landmark) finishTwo(ctx context.Context, e stream.Engine, t *tiles, u, v *Embedding, l, r *landmarkSide) (*Model, error) {
	bu, err := t.coreFrame(u, r.landmarks, l.core)
	if err != nil {
		return nil, err
	}
	bv, err := t.coreFrame(v, l.landmarks, r.core)
	if err != nil {
		return nil, err
	}
	z, err := t.projectedCore(ctx, e, l.core, bu.u, r.core, bv.u)
	if err != nil {
		return nil, err
	}
	w, err := newSVD("the core", dense.Mul(blas.NoTrans, bu.back, blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.Trans, bv.back)))
	if err != nil {
		return nil, err
	}
	c := min(m.Rank, len(w.S))
	u.Projection = dense.Mul(blas.NoTrans, u.Projection, blas.NoTrans, dense.Columns(w.U, 0, c))
	v.Projection = dense.Mul(blas.NoTrans, v.Projection, blas.NoTrans, dense.Columns(w.V, 0, c))
	return &Model{Method: "landmark", Kernel: t.kernel, Seed: m.Seed, Left: u, Right: v, Values: w.S[:c]}, nil
}
