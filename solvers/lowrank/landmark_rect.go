package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// FitRect approximates the kernel matrix between the rows of left and those of
// right: Q from all sampled columns, P from all sampled rows,
// W = (Q_{O∪I})⁺·K(O∪I, S∪J)·(P_{S∪J})⁺ᵀ, truncated to rank c. There is no shift.
//
// Cost: one pass over each source after gathering.
func (m Landmark) FitRect(ctx context.Context, e stream.Engine, left, right stream.Source, k kernelgen.Kernel) (*Fit, error) {
	t := newTiles(k, m.Precision)
	l, err := m.sideOf(ctx, t, left, "left")
	if err != nil {
		return nil, err
	}
	r, err := m.sideOf(ctx, t, right, "right")
	if err != nil {
		return nil, err
	}
	if err := sameColumns(left, right); err != nil {
		return nil, err
	}
	if err := t.chooseUnit(l.landmarks.rows, r.landmarks); err != nil {
		return nil, err
	}
	if err := firstError(t.boundSingle(r.landmarks, nil, l.core, l.held), t.boundSingle(l.landmarks, nil, r.core, r.held)); err != nil {
		return nil, err
	}
	u, condU, _, err := t.landmarkRange(ctx, e, left, r.landmarks)
	if err != nil {
		return nil, err
	}
	v, condV, _, err := t.landmarkRange(ctx, e, right, l.landmarks)
	if err != nil {
		return nil, err
	}
	model, err := m.finishRect(ctx, e, t, u, v, l, r)
	if err != nil {
		return nil, err
	}
	model.Rows, model.Cols = l.n, r.n
	notes := append(append(l.points.notes, r.points.notes...), t.rankNote(len(model.Values), m.Rank)...)
	return finishFit(t, model, notes, math.Max(condU, condV), l.held, r.held, math.NaN())
}

// landmarkSide is what the rectangular method gathers from one source.
type landmarkSide struct {
	n                     int64
	points                *landmarkPoints
	landmarks, core, held *panel
}

func (m Landmark) sideOf(ctx context.Context, t *tiles, src stream.Source, side string) (*landmarkSide, error) {
	n, err := knownRows(src)
	if err != nil {
		return nil, err
	}
	s := &landmarkSide{n: n}
	if s.points, err = m.points(n, side+" J", side+" S"); err != nil {
		return nil, err
	}
	held := heldBackRows(n, heldBack(len(s.points.landmarks)), m.Seed, side+" held back", s.points.landmarks, s.points.core)
	panels, err := t.gatherSets(ctx, src, rowSet{numbers: s.points.landmarks}, rowSet{numbers: s.points.core}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	s.landmarks, s.core, s.held = panels[0], panels[1], panels[2]
	return s, nil
}

func sameColumns(left, right stream.Source) error {
	l, r := left.Info(), right.Info()
	if len(l.Columns) != len(r.Columns) {
		return fmt.Errorf("%s has %d columns and %s has %d: rows of the two sources cannot be compared", l.Name, len(l.Columns), r.Name, len(r.Columns))
	}
	return nil
}

func (m Landmark) finishRect(ctx context.Context, e stream.Engine, t *tiles, u, v *Embedding, l, r *landmarkSide) (*Model, error) {
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
