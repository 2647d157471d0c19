package lowrank

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// spectrum is Â before the shift, u·diag(values)·uᵀ with orthonormal columns,
// and u as A·projection.
type spectrum struct {
	u, projection blas64.General
	values        []float64 // descending
	rest          []float64 // eigenvalues that truncation has left out
}

// fitOne makes the passes over a symmetric matrix.
func (f *exactFit) fitOne(ctx context.Context, start *Fit) (*Fit, error) {
	block, err := f.startBlock(ctx, start.Model, model.Left, f.l, "subspace start")
	if err != nil {
		return nil, err
	}
	space, err := krylov.NewSpace(tiles.Symmetric{Grid: f.grid()}, block, f.Passes)
	if err != nil {
		return nil, iterationError(err)
	}
	space.Choice = choiceOf(f.tiles.Kernel)
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

// wholeNumbers is the most numbers that a decomposition of all of A takes: 2 GiB.
const wholeNumbers = 1 << 28

// whole reports whether all of an n×n matrix is decomposed: the Krylov space of three passes
// would have half as many columns. More passes are rarely made.
func (m Subspace) whole(n int64) bool {
	space := int64(min(m.Passes, 3)) * (int64(m.Rank) + subspaceLandmark + subspaceRandom)
	return 2*space >= n && 4*n*n <= wholeNumbers
}

// wholeNote tells that all of A is decomposed.
func (m Subspace) wholeNote(n int64) string {
	return fmt.Sprintf("all eigenvectors of the %d × %d matrix are found: passes for rank %d would take nearly as long", n, n, m.Rank)
}

// unitRows are compared with all others to choose the unit.
const unitRows = 64

// fitWhole forms A and finds all of its eigenvectors.
func (f *exactFit) fitWhole(ctx context.Context) (*Fit, error) {
	t, all, rows := f.tiles, f.left, f.left.Rows
	if err := basis.ChooseScale(ctx, f.engine, t, stream.RowSlice(rows, 0, min(rows.Rows, unitRows)), all); err != nil {
		return nil, err
	}
	a, err := t.Between(ctx, f.engine, &tiles.Rows{Dense: rows}, all.Cols, basis.PanelRows)
	if err != nil {
		return nil, err
	}
	if err := basis.CheckFinite(t, a, f.l.Info().Name, model.Numbers{}); err != nil {
		return nil, err
	}
	eig, err := newEigen("the kernel matrix", a)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s, norm := eig.leading(f.Rank, choiceOf(t.Kernel))
	residuals := krylov.Residuals(dense.Mul(blas.NoTrans, a, blas.NoTrans, s.u), s.u, s.values, norm)
	fit, err := f.finishOne(ctx, s, &krylov.Pairs{Norm: norm, Passes: 1, Residuals: residuals})
	if err == nil {
		fit.Note(f.wholeNote(fit.Rows))
	}
	return fit, err
}

// leading returns the c leading eigenpairs, without those that are rounding, and the largest
// |eigenvalue|.
func (e *eigen) leading(c int, choice krylov.Choice) (*spectrum, float64) {
	order := byOrder(e.Values, choice == krylov.Magnitude)
	norm := math.Max(math.Abs(e.Values[0]), math.Abs(e.Values[len(e.Values)-1]))
	c = min(c, len(order))
	for c > 0 && math.Abs(e.Values[order[c-1]]) <= RankTolerance*norm {
		c--
	}
	kept, left := order[:c], order[c:]
	slices.Sort(kept) // descending values
	s := &spectrum{u: dense.PickColumns(e.Vectors, kept), values: dense.Pick(e.Values, kept), rest: dense.Pick(e.Values, left)}
	s.projection = scaledColumns(s.u, dense.Reciprocals(s.values))
	return s, norm
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
