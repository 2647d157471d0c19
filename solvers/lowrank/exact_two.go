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
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// singular is Â = u·diag(values)·vᵀ with orthonormal columns, u as A·left and v as
// Aᵀ·right.
type singular struct {
	u, v, left, right blas64.General
	values            []float64 // descending
	next              float64   // the largest that truncation has left out
}

// fitTwo makes the passes over the matrix between two sources.
func (f *exactFit) fitTwo(ctx context.Context) (*Fit, error) {
	space, err := krylov.NewPair(&tiles.Operator{Grid: f.grid(), Sums: new(tiles.Sums)},
		f.start(f.left, "subspace start left"), f.start(f.right, "subspace start right"), f.Passes)
	if err != nil {
		return nil, iterationError(err)
	}
	last, err := space.Run(ctx, f.iteration())
	if err != nil {
		return nil, iterationError(err)
	}
	all := space.Ritz(space.P.Cols()) // what is truncated last is truncated best
	unsettled := keepSettled(all)
	s, err := nystromOfTriplets(all, f.Rank)
	if err != nil {
		return nil, err
	}
	m := &Model{
		Left:   &Embedding{Landmarks: f.right.Rows, Rows: f.right.Number, Projection: s.left},
		Right:  &Embedding{Landmarks: f.left.Rows, Rows: f.left.Number, Projection: s.right},
		Values: s.values}
	spectral := math.NaN()
	if len(s.values) > 0 {
		spectral = s.next / s.values[0]
	}
	fit, err := f.finish(ctx, m, s.u, s.v, last.Passes, last.Residuals(), spectral, math.NaN())
	if err != nil {
		return nil, err
	}
	fit.Condition = valueCondition(s.values)
	if len(s.values) < f.Rank && unsettled > 0 {
		fit.Note(fmt.Sprintf("rank %d found, %d asked for: after %d exact passes the residuals of the other singular values are above themselves; more passes settle them", len(s.values), f.Rank, fit.ExactPasses))
	} else {
		fit.Note(rankNote(len(s.values), f.Rank, RankTolerance)...)
	}
	fit.residualNote("‖Av−σu‖ and ‖Aᵀu−σv‖", "singular value")
	return fit, nil
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
	f, g := dense.Columns(core.U, 0, c), dense.Columns(core.V, 0, c)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(ry), r.V)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(rx), r.U)
	return &singular{values: core.S[:c], next: nextValue(core.S, c),
		u: dense.Mul(blas.NoTrans, y, blas.NoTrans, f), left: dense.Mul(blas.NoTrans, r.V, blas.NoTrans, f),
		v: dense.Mul(blas.NoTrans, x, blas.NoTrans, g), right: dense.Mul(blas.NoTrans, r.U, blas.NoTrans, g)}, nil
}

// keepSettled keeps the triplets that Â may be built from, see [Subspace], and returns how many
// it drops.
func keepSettled(r *krylov.Triplets) (dropped int) {
	var keep []int
	for j, v := range r.Values {
		if relative := v / r.Values[0]; r.Left[j]*r.Right[j] <= relative*relative {
			keep = append(keep, j)
		}
	}
	dropped = len(r.Values) - len(keep)
	for _, m := range []*blas64.General{&r.U, &r.V, &r.AV, &r.ATU} {
		*m = dense.PickColumns(*m, keep)
	}
	r.Values = dense.Pick(r.Values, keep)
	return dropped
}
