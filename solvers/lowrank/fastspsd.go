package lowrank

import (
	"context"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// FastSPSD is the fast model of Wang, Luo & Zhang (2016) with uniform samples:
//
//	Â = C·U·Cᵀ        U = (SᵀC)⁺·(SᵀKS)·(CᵀS)⁺, the least-squares fit of SᵀKS
//
// C = K(·, J) has c columns, drawn uniformly without replacement, and S picks s
// rows, drawn uniformly without replacement, and the landmarks J, all with
// weight 1. It is the least-squares core of [Landmark] with one landmark per
// direction, nothing truncated and no shift. Â is positive semi-definite if K is.
//
// Cost: one pass after gathering c+s rows, n·c + (c+s)² kernel entries, 2·n·c²
// flops, memory for those rows and c·(c+s) numbers.
type FastSPSD struct {
	Rank   int // c
	Sketch int // s; 0 means 5c
	Seed   uint64

	Precision Precision // of the tiles of the pass
}

// landmark is the landmark method that draws the same rows.
func (m FastSPSD) landmark() Landmark {
	return Landmark{Rank: m.Rank, Sketch: m.Sketch, NNZ: 1, Seed: m.Seed, Precision: m.Precision}
}

// Fit approximates the kernel matrix of the rows of src.
func (m FastSPSD) Fit(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel) (*Fit, error) {
	n, err := knownRows(src)
	if err != nil {
		return nil, err
	}
	points, err := m.landmark().points(n, "C", "S")
	if err != nil {
		return nil, err
	}
	t := newTiles(k, m.Precision)
	held := heldBackRows(n, m.Seed, "held back", points.core)
	panels, err := t.gatherSets(ctx, src, rowSet{numbers: points.landmarks}, rowSet{numbers: points.core}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	landmarks, core, rest := panels[0], panels[1], panels[2]
	if err := firstError(t.chooseUnit(landmarks.rows, landmarks), t.boundSingle(landmarks, nil, core, rest)); err != nil {
		return nil, err
	}
	side, cond, err := t.landmarkRange(ctx, e, src, landmarks)
	if err != nil {
		return nil, err
	}
	model, err := m.finish(ctx, e, t, side, landmarks, core)
	if err != nil {
		return nil, err
	}
	model.Rows, model.Cols = n, n
	notes := append(points.notes, t.rankNote(model.Left.Rank(), m.Rank)...)
	return finishFit(t, model, append(notes, definiteNote(k)...), cond, rest, rest)
}

// finish fits the core.
func (m FastSPSD) finish(ctx context.Context, e stream.Engine, t *tiles, side *Embedding, landmarks, core *panel) (*Model, error) {
	frame, err := t.coreFrame(side, landmarks, core)
	if err != nil {
		return nil, err
	}
	z, err := t.projectedCore(ctx, e, core, frame.u, core, frame.u)
	if err != nil {
		return nil, err
	}
	eig, err := newEigen("the core", mul(blas.NoTrans, frame.back, blas.NoTrans, mul(blas.NoTrans, z, blas.Trans, frame.back)))
	if err != nil {
		return nil, err
	}
	clipDefinite(eig.Values, 0)
	side.Projection = mul(blas.NoTrans, side.Projection, blas.NoTrans, eig.Vectors)
	return &Model{Method: "fastspsd", Kernel: t.kernel, Seed: m.Seed, Left: side, Values: eig.Values}, nil
}

// Plan works out the cost of a fit on n rows with d columns.
func (m FastSPSD) Plan(e stream.Engine, n int64, d int) (*Plan, error) {
	points, err := m.landmark().points(n, "C", "S")
	if err != nil {
		return nil, err
	}
	c, s := int64(len(points.landmarks)), int64(len(points.core))
	p := newPlanner(e, m.Precision, d, 1)
	p.landmarksBy("landmarks", c, "--rank")
	p.pass(n, c, c, c*c)
	p.core(s, s, c, c)
	p.checks(s, c)
	p.Flops += 2 * float64(s) * float64(s) * float64(c)
	return &p.Plan, nil
}
