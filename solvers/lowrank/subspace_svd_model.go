package lowrank

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
)

// singular is Â = u·diag(values)·vᵀ with orthonormal columns, u as A·left and v as
// Aᵀ·right.
type singular struct {
	u, v, left, right blas64.General
	values            []float64 // descending
	next              float64   // the largest that truncation has left out
}

// nystrom is (AV)·diag(σ)⁻¹·(AᵀU)ᵀ with AV = Y·R and AᵀU = X·T, truncated to rank
// c: the singular values are those of R·diag(σ)⁻¹·Tᵀ, Y is A·V·R⁻¹ and X is
// Aᵀ·U·T⁻¹. It overwrites U and V.
func (r *ritzTriplets) nystrom(c int) (*singular, error) {
	if len(r.values) == 0 {
		return &singular{u: r.u, v: r.v, left: r.v, right: r.u}, nil
	}
	y, ry, err := sketch.CholeskyQR(r.av)
	if err != nil {
		return nil, err
	}
	x, rx, err := sketch.CholeskyQR(r.atu)
	if err != nil {
		return nil, err
	}
	inverse := make([]float64, len(r.values))
	for j, v := range r.values {
		inverse[j] = 1 / v
	}
	core, err := newSVD("the core", dense.Mul(blas.NoTrans, scaledColumns(ry, inverse), blas.Trans, rx))
	if err != nil {
		return nil, err
	}
	c = min(c, dense.Rank(core.S, RankTolerance))
	next := 0.0
	if c < len(core.S) {
		next = core.S[c]
	}
	f, g := dense.Columns(core.U, 0, c), dense.Columns(core.V, 0, c)
	solveUpper(r.v, ry)
	solveUpper(r.u, rx)
	return &singular{values: core.S[:c], next: next,
		u: dense.Mul(blas.NoTrans, y, blas.NoTrans, f), left: dense.Mul(blas.NoTrans, r.v, blas.NoTrans, f),
		v: dense.Mul(blas.NoTrans, x, blas.NoTrans, g), right: dense.Mul(blas.NoTrans, r.u, blas.NoTrans, g)}, nil
}

// solveUpper replaces b by b·r⁻¹.
func solveUpper(b, r blas64.General) {
	blas64.Trsm(blas.Right, blas.NoTrans, 1, upperTriangle(r), b)
}

// condition is the ratio of the largest to the smallest singular value.
func (s *singular) condition() float64 {
	if len(s.values) == 0 {
		return 1
	}
	return s.values[0] / s.values[len(s.values)-1]
}

// finish makes the model. last are the triplets of the last pass.
func (m SubspaceSVD) finish(space *svdSpace, last *ritzTriplets) (*SubspaceSVDFit, error) {
	t, rows := space.tiles, space.rows
	all, err := space.ritz(space.p.cols) // what is truncated last is truncated best
	if err != nil {
		return nil, err
	}
	unsettled := all.settled()
	s, err := all.nystrom(m.Rank)
	if err != nil {
		return nil, err
	}
	estimate := space.errorOf(scaledColumns(s.u, s.values), s.v)
	model := &Model{Method: "subspace", Kernel: t.kernel, Seed: m.Seed, Rows: int64(rows.left.rows.Rows), Cols: int64(rows.right.rows.Rows),
		Left:   &Embedding{Landmarks: rows.right.rows, Rows: rows.right.number, Projection: s.left},
		Right:  &Embedding{Landmarks: rows.left.rows, Rows: rows.left.number, Projection: s.right},
		Values: s.values}
	f := &SubspaceSVDFit{ExactPasses: space.passes, Residuals: last.residuals(),
		Fit: &Fit{Model: model, Condition: s.condition(), ErrorEstimate: estimate, TraceResidual: math.NaN(), KernelEntries: t.entries.Load()}}
	f.SpectralEstimate = math.NaN()
	if len(s.values) > 0 {
		f.SpectralEstimate = math.Max(s.next/s.values[0], f.Residual())
	}
	f.Notes = m.notes(f, t, unsettled)
	t.finishUnits(model)
	return f, checkModel(model)
}
