package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// singular is Â = u·diag(values)·vᵀ with orthonormal columns, u as A·left and v as
// Aᵀ·right.
type singular struct {
	u, v, left, right blas64.General
	values            []float64 // descending
	next              float64   // the largest that truncation has left out
}

// nystromOfTriplets returns (AV)·diag(σ)⁻¹·(AᵀU)ᵀ with AV = Y·R and AᵀU = X·T, truncated to rank
// c: the singular values are those of R·diag(σ)⁻¹·Tᵀ, Y is A·V·R⁻¹ and X is
// Aᵀ·U·T⁻¹. It overwrites U and V.
func nystromOfTriplets(r *krylov.Triplets, c int) (*singular, error) {
	if len(r.Values) == 0 {
		return &singular{u: r.U, v: r.V, left: r.V, right: r.U}, nil
	}
	y, ry, err := sketch.CholeskyQR(r.AV)
	if err != nil {
		return nil, err
	}
	x, rx, err := sketch.CholeskyQR(r.ATU)
	if err != nil {
		return nil, err
	}
	core, err := newSVD("the core", dense.Mul(blas.NoTrans, scaledColumns(ry, dense.Reciprocals(r.Values)), blas.Trans, rx))
	if err != nil {
		return nil, err
	}
	c = min(c, dense.Rank(core.S, RankTolerance))
	next := 0.0
	if c < len(core.S) {
		next = core.S[c]
	}
	f, g := dense.Columns(core.U, 0, c), dense.Columns(core.V, 0, c)
	solveUpper(r.V, ry)
	solveUpper(r.U, rx)
	return &singular{values: core.S[:c], next: next,
		u: dense.Mul(blas.NoTrans, y, blas.NoTrans, f), left: dense.Mul(blas.NoTrans, r.V, blas.NoTrans, f),
		v: dense.Mul(blas.NoTrans, x, blas.NoTrans, g), right: dense.Mul(blas.NoTrans, r.U, blas.NoTrans, g)}, nil
}

// solveUpper replaces b by b·r⁻¹.
func solveUpper(b, r blas64.General) {
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(r), b)
}

// condition returns the ratio of the largest to the smallest singular value.
func (s *singular) condition() float64 {
	if len(s.values) == 0 {
		return 1
	}
	return s.values[0] / s.values[len(s.values)-1]
}

// finishSVD makes the model. last are the triplets of the last pass.
func (m Subspace) finishSVD(ctx context.Context, e stream.Engine, t *tiles, rows *sideRows, space *krylov.Pair, last *krylov.Triplets) (*Fit, error) {
	all := space.Ritz(space.P.Cols()) // what is truncated last is truncated best
	unsettled := settled(all)
	s, err := nystromOfTriplets(all, m.Rank)
	if err != nil {
		return nil, err
	}
	found := &Model{Method: "subspace", Kernel: t.kernel, Seed: m.Seed, Rows: int64(rows.left.rows.Rows), Cols: int64(rows.right.rows.Rows),
		Left:   &Embedding{Landmarks: rows.right.rows, Rows: rows.right.number, Projection: s.left},
		Right:  &Embedding{Landmarks: rows.left.rows, Rows: rows.left.number, Projection: s.right},
		Values: s.values}
	estimate, err := t.rowEstimate(ctx, e, found, s.u, s.v, rows)
	if err != nil {
		return nil, err
	}
	f := &Fit{Model: found, Report: m.exactReport(t, last.Passes, last.Residuals()), Condition: s.condition(),
		TraceResidual: math.NaN(), TraceKept: math.NaN()}
	spectral := math.NaN()
	if len(s.values) > 0 {
		spectral = math.Max(s.next/s.values[0], f.Residual())
	}
	f.estimated(spectral, estimate, "Ritz values and sampled rows")
	if len(f.Values) < m.Rank && unsettled > 0 {
		f.Note(fmt.Sprintf("rank %d found, %d asked for: after %d exact passes the residuals of the other singular values are above themselves; more passes settle them", len(f.Values), m.Rank, f.ExactPasses))
	} else {
		f.Note(rankNote(len(f.Values), m.Rank, RankTolerance)...)
	}
	f.residualNote("‖Av−σu‖ and ‖Aᵀu−σv‖", "singular value")
	t.finishUnits(found)
	return f, checkModel(found)
}

// settled keeps the triplets that Â may be built from, and says how many it has
// left out: see [Subspace].
func settled(r *krylov.Triplets) (left int) {
	var keep []int
	for j, v := range r.Values {
		if relative := v / r.Values[0]; r.Left[j]*r.Right[j] <= relative*relative {
			keep = append(keep, j)
		}
	}
	left = len(r.Values) - len(keep)
	for _, m := range []*blas64.General{&r.U, &r.V, &r.AV, &r.ATU} {
		*m = dense.PickColumns(*m, keep)
	}
	r.Values, r.Left, r.Right = dense.Pick(r.Values, keep), dense.Pick(r.Left, keep), dense.Pick(r.Right, keep)
	return left
}
