package ksvd

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
)

// uniform draws uniform samples. Two fits that are compared have samples that are
// independent: nested ones would agree in what both have wrong.
func (f *nystrom) uniform(n, m int) (rows, cols sample) {
	s := f.data.Shape()
	which := ""
	if f.Tolerance > 0 {
		which = fmt.Sprintf(" %d", f.round)
	}
	rows = uniformSample(s.Rows, n, f.Seed, "ksvd rows"+which)
	if f.Paired {
		return rows, rows
	}
	return rows, uniformSample(s.Cols, m, f.Seed, "ksvd columns"+which)
}

// scored draws samples by the leverage scores of a first model. With paired samples
// the scores of both sides add up.
func (f *nystrom) scored(ctx context.Context, first *Model, n, m int) (rows, cols sample, err error) {
	fit := f.finish(first, math.NaN())
	left, err := f.scores(ctx, fit, model.Left, first.Rows)
	if err != nil {
		return rows, cols, err
	}
	right, err := f.scores(ctx, fit, model.Right, first.Cols)
	if err != nil {
		return rows, cols, err
	}
	f.reads += 1 + f.data.again
	if f.Paired {
		for i, v := range right {
			left[i] += v
		}
		rows = scoredSample(left, n, f.Seed, "ksvd scored rows")
		return rows, rows, nil
	}
	return scoredSample(left, n, f.Seed, "ksvd scored rows"), scoredSample(right, m, f.Seed, "ksvd scored columns"), nil
}

// scores returns the squared lengths of the rows of U or V.
func (f *nystrom) scores(ctx context.Context, fit *Fit, side model.Side, n int64) ([]float64, error) {
	scores := make([]float64, n)
	f.entries.count.Add(n * int64(len(fit.side(side).Rows)))
	err := fit.EmbedFitted(ctx, f.engine, side, func(start int64, u blas64.General) error {
		for i := range u.Rows {
			for _, v := range dense.Row(u, i) {
				scores[start+int64(i)] += v * v
			}
		}
		return nil
	})
	return scores, err
}
