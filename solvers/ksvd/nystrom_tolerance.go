package ksvd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// comparedRows returns how many rows of each side two fits are compared on: enough that a
// vector has next to nothing in common with a subspace of so many dimensions by
// chance.
func comparedRows(rank int) int { return max(400, 20*rank) }

// double fits with twice the samples until two fits agree, or there are no more.
func (f *nystrom) double(ctx context.Context) (*Fit, error) {
	s := f.data.Shape()
	n, m := f.Rows, f.Cols
	last, err := f.model(ctx, n, m)
	if err != nil {
		return nil, err
	}
	for {
		moreN, moreM := int(min(2*int64(n), s.Rows, int64(f.MaxLandmarks))), int(min(2*int64(m), s.Cols, int64(f.MaxLandmarks)))
		if moreN <= n && moreM <= m {
			return f.stopped(last, n, m)
		}
		n, m = max(n, moreN), max(m, moreM)
		f.round++
		next, err := f.model(ctx, n, m)
		if err != nil {
			return nil, err
		}
		eta, err := f.difference(ctx, last, next)
		if err != nil {
			return nil, err
		}
		last, f.reached = next, eta
		if eta <= f.Tolerance {
			return f.finish(next, eta), nil
		}
	}
}

// stopped returns the fit with all the samples there may be.
func (f *nystrom) stopped(m *Model, n, cols int) (*Fit, error) {
	if s := f.data.Shape(); int64(n) == s.Rows && int64(cols) == s.Cols {
		return f.finish(m, 0), nil // nothing was left out
	}
	differ := fmt.Sprintf("the last two fits differ by %.2g", f.reached)
	if math.IsNaN(f.reached) {
		differ = "there is no second fit to compare with"
	}
	f.unsettled = true
	f.notes = append(f.notes, fmt.Sprintf("tolerance %.2g was not reached with %d rows and %d columns: %s (`landmarks` without `tol` takes more)", f.Tolerance, n, cols, differ))
	return f.finish(m, f.reached), nil
}

// difference returns η between two models on rows of both sides.
func (f *nystrom) difference(ctx context.Context, old, fresh *Model) (float64, error) {
	s := f.data.Shape()
	left, err := f.sideDifference(ctx, old, fresh, old.Left, fresh.Left, f.data.left, s.Rows, fresh.Right.Rows, "ksvd held-back rows")
	if err != nil {
		return 0, err
	}
	right, err := f.sideDifference(ctx, old, fresh, old.Right, fresh.Right, f.data.right, s.Cols, fresh.Left.Rows, "ksvd held-back columns")
	return left + right, err
}

// sideDifference returns the part of one side in η.
func (f *nystrom) sideDifference(ctx context.Context, old, fresh *Model, oldSide, freshSide *Side, rows source, n int64, sampled []int64, purpose string) (float64, error) {
	h := int(min(n, int64(comparedRows(f.Rank))))
	number := uniformSample(n, h, f.Seed, purpose).number
	if rest := without(number, sampled); len(rest) >= h/2 {
		number = rest
	}
	points, err := rows.gather(ctx, number)
	if err != nil {
		return 0, err
	}
	u, err := f.embedPoints(old, oldSide, points, number, rows.name())
	if err != nil {
		return 0, err
	}
	v, err := f.embedPoints(fresh, freshSide, points, number, rows.name())
	if err != nil {
		return 0, err
	}
	angle, err := weightedAngles(v, u, fresh.Values)
	if err != nil {
		return 0, err
	}
	back, err := weightedAngles(u, v, old.Values)
	return math.Max(angle, back), err
}

// embedPoints returns u or v of gathered rows.
func (f *nystrom) embedPoints(m *Model, side *Side, p *points, number []int64, name string) (blas64.General, error) {
	stats := f.stats.ofRows(side.left, number)
	u := stream.NewMatrix(p.count(), side.Rank())
	w := side.prepare(f.entries, m.total(side), stats, name).embedder()
	step := panelRows(w.landmarks.count())
	for first := 0; first < p.count(); first += step {
		n := min(step, p.count()-first)
		if err := w.embed(stream.RowSlice(u, first, n), p.slice(first, n), int64(first)); err != nil {
			return u, err
		}
	}
	return u, nil
}

// ofRows returns what there is of some rows of the left or of the right side.
func (s *statistics) ofRows(left bool, number []int64) *statistics {
	switch {
	case s == nil:
		return nil
	case left:
		return &statistics{logSums: dense.Pick(s.logSums, number), rowMeans: dense.Pick(s.rowMeans, number)}
	}
	return &statistics{colMeans: dense.Pick(s.colMeans, number)}
}

// without returns the numbers that are not among others; both ascend.
func without(number, others []int64) []int64 {
	var rest []int64
	for _, v := range number {
		if _, found := slices.BinarySearch(others, v); !found {
			rest = append(rest, v)
		}
	}
	return rest
}
