package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// spectrum is Â before the shift, u·diag(values)·uᵀ with orthonormal columns,
// and u as A·projection.
type spectrum struct {
	u, projection blas64.General
	values        []float64 // descending
	rest          []float64 // eigenvalues that truncation has left out
}

// fitOne makes the passes over a symmetric matrix.
func (f *exactFit) fitOne(ctx context.Context) (*Fit, error) {
	space, err := krylov.NewSpace(tiles.Symmetric{Grid: f.grid()}, f.start(f.left, "subspace start"), f.Passes)
	if err != nil {
		return nil, iterationError(err)
	}
	if !f.tiles.Kernel.PositiveSemiDefinite() {
		space.Choice = krylov.Magnitude
	}
	last, err := space.Run(ctx, f.iteration())
	if err != nil {
		return nil, iterationError(err)
	}
	most := f.Rank
	if space.Choice == krylov.Positive {
		most = space.Q.Cols() // what is truncated last is truncated best
	}
	pairs := space.Ritz(most)
	s, err := nystromOfPairs(pairs, f.Rank)
	if err != nil {
		return nil, err
	}
	s.rest = append(s.rest, pairs.Rest...)
	return f.finishOne(ctx, s, last)
}

// nystromOfPairs returns (AU)·diag(θ)⁻¹·(AU)ᵀ with AU = Q·R, truncated to the c largest
// eigenvalues: those of R·diag(θ)⁻¹·Rᵀ within Q, and Q is A·U·R⁻¹. It overwrites U.
func nystromOfPairs(p *krylov.Pairs, c int) (*spectrum, error) {
	if len(p.Values) == 0 {
		return &spectrum{u: p.U, projection: p.U}, nil
	}
	q, r, err := sketch.CholeskyQR(p.AU)
	if err != nil {
		return nil, err
	}
	eig, err := newEigen("the core", congruence(r, dense.Reciprocals(p.Values)))
	if err != nil {
		return nil, err
	}
	c = min(c, len(eig.Values))
	for c > 0 && math.Abs(eig.Values[c-1]) <= RankTolerance*p.Norm {
		c--
	}
	kept := dense.Columns(eig.Vectors, 0, c)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(r), p.U)
	return &spectrum{u: dense.Mul(blas.NoTrans, q, blas.NoTrans, kept), projection: dense.Mul(blas.NoTrans, p.U, blas.NoTrans, kept),
		values: eig.Values[:c], rest: eig.Values[c:]}, nil
}

// finishOne returns the fit of a symmetric matrix. last has the pairs of the last pass.
func (f *exactFit) finishOne(ctx context.Context, s *spectrum, last *krylov.Pairs) (*Fit, error) {
	definite, trace := f.tiles.Kernel.PositiveSemiDefinite(), sumDiag(f.tiles, f.left)
	shift, left := s.shift(f.Shift, trace, f.left.Rows.Rows, definite)
	m := &Model{Left: &Embedding{Landmarks: f.left.Rows, Rows: f.left.Number, Projection: s.projection}, Values: slices.Clone(s.values), Shift: shift}
	for i := range m.Values {
		m.Values[i] -= shift
	}
	if definite {
		clipDefinite(m.Values, shift)
	}
	fit, err := f.finish(ctx, m, s.u, s.u, last.Passes, last.Residuals, ratio(left, last.Norm), trace)
	if err != nil {
		return nil, err
	}
	fit.Condition = valueCondition(s.values)
	fit.Note(rankNote(len(s.values), f.Rank, RankTolerance)...)
	fit.residualNote("‖Au−θu‖", "eigenvalue")
	return fit, nil
}

// shift returns the shift of the n×n matrix, and the largest |eigenvalue − shift| left out as
// far as it is known: of those that truncation leaves out, and of the mean of the others,
// which the trace gives.
func (s *spectrum) shift(rule Shift, trace float64, n int, definite bool) (shift, left float64) {
	c := len(s.values)
	if c == n {
		return 0, 0
	}
	mean, rest := (trace-dense.Sum(s.values))/float64(n-c), slices.Clone(s.rest)
	if others := n - c - len(rest); others > 0 {
		rest = append(rest, (trace-dense.Sum(s.values)-dense.Sum(s.rest))/float64(others))
	}
	low, high := slices.Min(rest), slices.Max(rest)
	if definite {
		mean, low, high = math.Max(0, mean), math.Max(0, low), math.Max(0, high)
	}
	switch rule {
	case ShiftFitted:
		shift = mean
	case ShiftMidpoint:
		shift = low/2 + high/2
	}
	return shift, math.Max(math.Abs(high-shift), math.Abs(low-shift))
}

// valueCondition returns the ratio of the largest to the smallest modulus, 1 if there are no
// values.
func valueCondition(values []float64) float64 {
	if len(values) == 0 {
		return 1
	}
	most, least := 0.0, math.Inf(1)
	for _, v := range values {
		most, least = math.Max(most, math.Abs(v)), math.Min(least, math.Abs(v))
	}
	return most / least
}
