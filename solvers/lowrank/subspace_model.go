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
	"github.com/nystream/nystream/stream"
)

// spectrum is Â before the shift, u·diag(values)·uᵀ with orthonormal columns,
// and u as A·projection.
type spectrum struct {
	u, projection blas64.General
	values        []float64 // descending
	rest          []float64 // eigenvalues that truncation has left out
}

// condition returns the ratio of the largest to the smallest value in magnitude.
func (s *spectrum) condition() float64 {
	most, least := 0.0, math.Inf(1)
	for _, v := range s.values {
		most, least = math.Max(most, math.Abs(v)), math.Min(least, math.Abs(v))
	}
	if len(s.values) == 0 {
		return 1
	}
	return most / least
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

// spectrum returns the approximation that the space gives.
func (m Subspace) spectrum(space *krylov.Space) (*spectrum, error) {
	most := m.Rank
	if space.Choice == krylov.Positive {
		most = space.Q.Cols() // what is truncated last is truncated best
	}
	pairs := space.Ritz(most)
	s, err := nystromOfPairs(pairs, m.Rank)
	if err != nil {
		return nil, err
	}
	s.rest = append(s.rest, pairs.Rest...)
	return s, nil
}

// finishSymmetric makes the model of what a space or all of A gives. last are the pairs of
// the last pass.
func (m Subspace) finishSymmetric(ctx context.Context, e stream.Engine, t *tiles, s *spectrum, last *krylov.Pairs, sides *sideRows) (*Fit, error) {
	rows, definite := sides.left, t.kernel.PositiveSemiDefinite()
	trace := t.sumDiag(rows)
	found := &Model{Method: "subspace", Kernel: t.kernel, Seed: m.Seed, Rows: int64(rows.rows.Rows), Cols: int64(rows.rows.Rows),
		Left: &Embedding{Landmarks: rows.rows, Rows: rows.number, Projection: s.projection}, Values: slices.Clone(s.values)}
	low, high := s.leftOut(trace, rows.rows.Rows, definite)
	switch m.Shift {
	case ShiftFitted:
		found.Shift = s.fittedShift(trace, rows.rows.Rows, definite)
	case ShiftCentred:
		found.Shift = low/2 + high/2
	}
	for i := range found.Values {
		found.Values[i] -= found.Shift
	}
	if definite {
		clipDefinite(found.Values, found.Shift)
	}
	estimate, err := t.rowEstimate(ctx, e, found, s.u, s.u, sides)
	if err != nil {
		return nil, err
	}
	f := &Fit{Model: found, Report: m.exactReport(t, last.Passes, last.Residuals), Condition: s.condition()}
	f.setTrace(trace)
	f.estimated(math.Max(ratio(math.Max(math.Abs(high-found.Shift), math.Abs(low-found.Shift)), last.Norm), f.Residual()), estimate, "Ritz values and sampled rows")
	f.Note(rankNote(len(s.values), m.Rank, RankTolerance)...)
	f.residualNote("‖Au−θu‖", "eigenvalue")
	t.finishUnits(found)
	return f, checkModel(found)
}

// fittedShift returns the mean of the eigenvalues left out, which the trace of the n×n
// matrix tells.
func (s *spectrum) fittedShift(trace float64, n int, definite bool) float64 {
	if len(s.values) == n {
		return 0
	}
	mean := (trace - dense.Sum(s.values)) / float64(n-len(s.values))
	if definite {
		return math.Max(0, mean)
	}
	return mean
}

// leftOut returns the least and the largest of the eigenvalues left out, as far as they
// are known: those that truncation has left out, and the mean of the others. trace
// is the trace of the n×n matrix.
func (s *spectrum) leftOut(trace float64, n int, definite bool) (low, high float64) {
	left := slices.Clone(s.rest)
	if others := n - len(s.values) - len(s.rest); others > 0 {
		left = append(left, (trace-dense.Sum(s.values)-dense.Sum(s.rest))/float64(others))
	}
	if len(left) == 0 {
		return 0, 0
	}
	low, high = slices.Min(left), slices.Max(left)
	if definite {
		low, high = math.Max(0, low), math.Max(0, high)
	}
	return low, high
}

// rowSample is how many rows rowEstimate compares with all others.
const rowSample = 256

// rowEstimate returns the estimated relative Frobenius error of a model, u and v being the
// embeddings of all rows, from the entries of A in a sample of left rows. The diagonal of one
// source is exact.
func (t *tiles) rowEstimate(ctx context.Context, e stream.Engine, m *Model, u, v blas64.General, rows *sideRows) (float64, error) {
	left, right, n := rows.left, rows.right, rows.left.rows.Rows
	sample, err := sketch.NewSample(int64(n), min(n, rowSample), m.Seed, "held back")
	if err != nil {
		panic("lowrank: " + err.Error()) // no more than n
	}
	number := sample.Positions()
	weighted := scaledColumns(u, m.Values)
	sampled := (&basis.Panel{Rows: weighted, Number: left.number}).Of(number).Rows
	squares := stream.NewMatrix(len(number), 2) // of the entries of A and of the error in a row
	err = t.eachTile(ctx, e, left.Of(number).Rows, t.pack(right.rows, right.number, nil), func(first int, tile blas64.General) error {
		guess := dense.Mul(blas.NoTrans, stream.RowSlice(sampled, first, tile.Rows), blas.Trans, v)
		for i := range tile.Rows {
			b, sums := dense.Row(guess, i), dense.Row(squares, first+i)
			for j, entry := range dense.Row(tile, i) {
				if left != right || int64(j) != number[first+i] {
					sums[0] += entry * entry
					sums[1] += (entry - b[j]) * (entry - b[j])
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	var entries, errors float64
	for i := range squares.Rows {
		entries += squares.Data[2*i] * float64(n) / float64(len(number))
		errors += squares.Data[2*i+1] * float64(n) / float64(len(number))
	}
	if left == right {
		diagonal := make([]float64, n)
		t.diag(diagonal, left.rows)
		for i, entry := range diagonal {
			rest := entry - dense.Dot(dense.Row(weighted, i), dense.Row(v, i)) - m.Shift
			entries, errors = entries+entry*entry, errors+rest*rest
		}
	}
	return ratio(math.Sqrt(errors), math.Sqrt(entries)), nil
}
