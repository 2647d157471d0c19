package lowrank

import (
	"context"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// FastSPSD is the fast model of Wang, Luo & Zhang (2016) with uniform samples:
//
//	Â = C·U·Cᵀ        U = (SᵀC)⁺·(SᵀKS)·(CᵀS)⁺, the least-squares fit of SᵀKS
//
// C = K(·, J) has ℓ = z·c columns, drawn uniformly without replacement, and S
// picks s rows, drawn uniformly without replacement, and the landmarks J, all with
// weight 1. With z = 1, as published, it is the least-squares core of [Landmark]
// with one landmark per direction, nothing truncated and no shift; with z > 1 the c
// largest eigenpairs of Â are kept, as in [Nystrom]. Â is positive semi-definite if
// K is.
//
// Cost: one pass after gathering ℓ+s rows, n·ℓ + (ℓ+s)² kernel entries, 2·n·ℓ²
// flops, memory for those rows and ℓ·(ℓ+s) numbers.
type FastSPSD struct {
	Rank   int // c
	NNZ    int // z, landmarks per column of U; 0 means 1
	Sketch int // s; 0 means 5ℓ
	Seed   uint64

	Precision Precision // of the tiles of the pass
}

// points draws ℓ landmarks and s core points, as the landmark method with one
// landmark per direction does for rank ℓ.
func (m FastSPSD) points(n int64) (*landmarkPoints, error) {
	if err := checkRank(m.Rank, m.NNZ); err != nil {
		return nil, err
	}
	landmarks, sketch := m.Rank*max(1, m.NNZ), m.Sketch
	if sketch == 0 {
		sketch = 5 * landmarks
	}
	return Landmark{Rank: landmarks, Sketch: sketch, NNZ: 1, Seed: m.Seed}.points(n, "C", "S")
}

// Fit approximates the kernel matrix of the rows of one source.
func (m FastSPSD) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	points, err := m.points(n)
	if err != nil {
		return nil, err
	}
	src, t := d.Left, newTiles(k, m.Precision)
	held := heldBackRows(n, heldBack(len(points.landmarks)), m.Seed, "held back", points.landmarks, points.core)
	panels, err := t.gatherSets(ctx, src, rowSet{numbers: points.landmarks}, rowSet{numbers: points.core}, rowSet{numbers: held})
	if err != nil {
		return nil, err
	}
	landmarks, core, rest := panels[0], panels[1], panels[2]
	if err := firstError(t.chooseUnit(landmarks.rows, landmarks), t.boundSingle(landmarks, nil, core, rest)); err != nil {
		return nil, err
	}
	side, cond, trace, err := t.landmarkRange(ctx, e, src, landmarks)
	if err != nil {
		return nil, err
	}
	found, err := m.finish(ctx, e, t, side, landmarks, core)
	if err != nil {
		return nil, err
	}
	found.Rows, found.Cols = n, n
	notes := append(points.notes, t.rankNote(found.Left.Rank(), m.Rank)...)
	return finishFit(t, found, append(notes, definiteNote(k)...), cond, rest, rest, trace)
}

// finish fits the core and truncates.
func (m FastSPSD) finish(ctx context.Context, e stream.Engine, t *tiles, side *Embedding, landmarks, core *panel) (*Model, error) {
	frame, err := t.coreFrame(side, landmarks, core)
	if err != nil {
		return nil, err
	}
	z, err := t.projectedCore(ctx, e, core, frame.u, core, frame.u)
	if err != nil {
		return nil, err
	}
	eig, err := newEigen("the core", dense.Mul(blas.NoTrans, frame.back, blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.Trans, frame.back)))
	if err != nil {
		return nil, err
	}
	c := min(m.Rank, len(eig.Values))
	values := eig.Values[:c]
	clipDefinite(values, 0)
	side.Projection = dense.Mul(blas.NoTrans, side.Projection, blas.NoTrans, dense.Columns(eig.Vectors, 0, c))
	return &Model{Method: "fastspsd", Kernel: t.kernel, Seed: m.Seed, Left: side, Values: values}, nil
}

// Plan returns the cost of a fit.
func (m FastSPSD) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	points, err := m.points(s.Rows)
	if err != nil {
		return nil, err
	}
	c, core := int64(len(points.landmarks)), int64(len(points.core))
	p := newPlanner(e, m.Precision, s.Columns)
	p.landmarks("landmarks", c)
	p.pass(s.Rows, c, c, c*c)
	p.core(core, core, c, c)
	p.checks(s.Rows, core, c)
	p.Flops += 2 * float64(core) * float64(core) * float64(c)
	return p.Plan, nil
}
