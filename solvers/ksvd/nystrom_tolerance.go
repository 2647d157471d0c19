package ksvd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// double fits with twice the samples, again and again, until two fits agree.
func (f *nystrom) double(ctx context.Context) (*Fit, error) {
	last, err := f.model(ctx, 0)
	if err != nil {
		return nil, err
	}
	s := f.data.size()
	for round := 0; ; round++ {
		more := false
		if f.Nystrom, more = f.doubled(f.engine, s, f.tiles, round); !more {
			break
		}
		next, err := f.model(ctx, round+1)
		if err != nil {
			return nil, err
		}
		if f.accuracy, err = f.difference(ctx, last, next); err != nil {
			return nil, err
		}
		if last = next; f.accuracy <= f.Tolerance {
			return f.finish(last), nil
		}
	}
	if int64(f.Rows) == s.Rows && int64(f.Cols) == s.Cols { // nothing was left out
		f.accuracy = 0
		return f.finish(last), nil
	}
	differ := fmt.Sprintf("the last two fits differ by %.2g", f.accuracy)
	if math.IsNaN(f.accuracy) {
		differ = "there is no second fit to compare with"
	}
	f.report.NotConverged = true
	f.report.Note(fmt.Sprintf("tolerance %.2g was not reached with %d rows and %d columns: %s (`landmarks` without `tol` takes more)",
		f.Tolerance, f.Rows, f.Cols, differ))
	return f.finish(last), nil
}

// difference returns η between two models, on rows of both sides that next has not sampled if they
// suffice: so many that a random vector has little in common with a space of so many dimensions.
func (f *nystrom) difference(ctx context.Context, last, next *Model) (eta float64, err error) {
	for _, side := range sides(model.Both) {
		rows, sampled, purpose := f.data.left, next.Right.Rows, "ksvd held-back rows"
		if side == model.Right {
			rows, sampled, purpose = f.data.right, next.Left.Rows, "ksvd held-back columns"
		}
		n := rows.Info().Rows
		h := int(min(n, int64(max(400, 20*f.Rank))))
		numbers := uniformSample(n, h, f.Seed, purpose).numbers
		unsampled := slices.DeleteFunc(slices.Clone(numbers), func(v int64) bool {
			_, found := slices.BinarySearch(sampled, v)
			return found
		})
		if len(unsampled) >= h/2 {
			numbers = unsampled
		}
		points, err := rows.gather(ctx, numbers)
		if err != nil {
			return 0, err
		}
		u, err := f.embedRows(last, side, points, numbers, rows)
		if err != nil {
			return 0, err
		}
		v, err := f.embedRows(next, side, points, numbers, rows)
		if err != nil {
			return 0, err
		}
		angle, err := weightedAngles(v, u, next.Values)
		if err != nil {
			return 0, err
		}
		back, err := weightedAngles(u, v, last.Values)
		if err != nil {
			return 0, err
		}
		eta += max(angle, back)
	}
	return eta, nil
}

// embedRows returns u or v of gathered rows.
func (f *nystrom) embedRows(m *Model, side model.Side, points *tiles.Rows, numbers []int64,
	rows source) (blas64.General, error) {
	known := f.sums
	if known != nil && side == model.Left {
		known = &tiles.Sums{LogSums: dense.Pick(known.LogSums, numbers), RowMeans: dense.Pick(known.RowMeans, numbers)}
	} else if known != nil {
		known = &tiles.Sums{ColMeans: dense.Pick(known.ColMeans, numbers)}
	}
	u := stream.NewMatrix(points.Count(), m.Rank())
	w := m.embedding(f.tiles, m.side(side), known, rows).worker()
	step := panelRows(w.landmarks.Count())
	for i, part := range points.Blocks(step) {
		if err := w.embed(stream.RowSlice(u, i*step, part.Count()), part, int64(i*step)); err != nil {
			return u, err
		}
	}
	return u, nil
}

// weightedAngles returns Σ w_i·(1 − cos) with w_i = λ_i/Σλ and the angles between the columns
// u_i and the space of the columns of w.
func weightedAngles(u, w blas64.General, values []float64) (float64, error) {
	sum := dense.Sum(values)
	if u.Cols == 0 || sum == 0 {
		return 0, nil
	}
	scaled := dense.Clone(w)
	dense.ScaleColumns(scaled, dense.Reciprocals(norms(w)))
	b := krylov.NewBasis(w.Rows, 0, w.Cols)
	if _, err := b.Add(scaled, w.Cols, rankTolerance); err != nil {
		return 0, err
	}
	part := make([]float64, u.Cols)
	if b.Cols() > 0 {
		part = lengths(dense.Mul(blas.Trans, b.Vectors(), blas.NoTrans, u))
	}
	angle := 0.0
	for i, length := range norms(u) {
		angle += values[i] / sum * (1 - min(1, part[i]/length))
	}
	return angle, nil
}
