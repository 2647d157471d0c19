package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Intervals computes prediction intervals from the scale s(x) of a residual and from quantiles of the absolute
// residuals divided by their scales. The interval of a level is the prediction ± s(x) times the quantile at the level.
// Both are estimated from out-of-fold residuals (Lei et al. 2018, "Distribution-free predictive inference for
// regression", section 5.2, with folds).
type Intervals struct {
	// Residuals is the number of out-of-fold residuals.
	Residuals int `json:"residuals" min:"1"`
	// The scale of a row is k(x, Landmarks)·Scale + Intercept, at least Floor.
	Scale     blas64.General `json:"-" array:"scale,p,t"`
	Intercept []float64      `json:"-" array:"intercept,t"`
	Floor     []float64      `json:"-" array:"floor,t"`
	// Quantiles are the quantiles at 1/200, 2/200, …, 199/200 for each target.
	Quantiles blas64.General `json:"-" array:"quantiles,t,199"`
}

const (
	quantiles = 199 // at multiples of 1/200
	// scaleLandmarks limits the number of landmarks of the scale of residuals.
	scaleLandmarks = 100
	scaleFolds     = 5 // folds of the residuals, to choose the penalty of their scale
	// leastScale is the smallest scale, relative to the mean absolute residual.
	leastScale = 0.2
)

// Highest returns the highest level of an interval: 0.995, or n/(n + 1) for n < 199 residuals.
func (v *Intervals) Highest() float64 {
	return min(quantiles/float64(quantiles+1), float64(v.Residuals)/float64(v.Residuals+1))
}

// quantile returns the quantile of a target, interpolated linearly between those of the grid.
func (v *Intervals) quantile(target int, level float64) float64 {
	q := matrix.Row(v.Quantiles, target)
	at := min(max(level*(quantiles+1)-1, 0), quantiles-1)
	i := min(int(at), quantiles-2)
	return q[i] + (at-float64(i))*(q[i+1]-q[i])
}

// halfWidth returns half of the width of the interval of a target. scale is not yet bounded by the floor.
func (v *Intervals) halfWidth(target int, scale, level float64) float64 {
	return max(scale, v.Floor[target]) * v.quantile(target, level)
}

// intervals estimates them from out-of-fold residuals. The scale is a ridge regression of their magnitudes on features
// of up to 100 landmarks; folds of the same rows choose its penalty. It returns nil if no held-out row has a positive
// weight. scales are the out-of-fold scales of the rows of the sample. Cost for m residuals: 200·m kernel entries and
// 2·100²·m flops.
func (c *candidate) intervals(ctx context.Context, held *heldOut) (v *Intervals, scales blas64.General, err error) {
	n, t, weights := c.sample.Count(), c.outputs, c.known.weight
	magnitudes, means, total := matrix.New(n, t), make([]float64, t), dense.Sum(weights)
	for i := range n {
		for j, v := range matrix.Row(c.known.outputs, i) {
			residual := math.Abs(v - matrix.Row(held.predictions, i)[j])
			matrix.Row(magnitudes, i)[j] = residual
			means[j] += weights[i] * residual
		}
	}
	if total == 0 {
		return nil, scales, nil
	}
	for j := range means {
		if means[j] /= total; !(means[j] > 0) {
			means[j] = 1 // all residuals are 0
		}
		for i := range n {
			matrix.Row(magnitudes, i)[j] /= means[j]
		}
	}
	chosen, coefficients, scales, err := c.learnScale(ctx, magnitudes)
	if err != nil {
		return nil, scales, err
	}
	v = &Intervals{Residuals: n, Scale: matrix.New(c.upper.Cols, t), Floor: make([]float64, t),
		Quantiles: matrix.New(t, quantiles)}
	dense.ScaleColumns(coefficients, means)
	for i, landmark := range chosen {
		copy(matrix.Row(v.Scale, landmark), matrix.Row(coefficients, i))
	}
	v.Intercept = slices.Clone(matrix.Row(coefficients, len(chosen)))
	for j, mean := range means {
		v.Floor[j] = leastScale * mean
		u := make([]float64, n)
		for i := range u {
			u[i] = matrix.Row(magnitudes, i)[j] / max(matrix.Row(scales, i)[j], leastScale)
		}
		copy(matrix.Row(v.Quantiles, j), weightedQuantiles(u, weights))
	}
	refer := c.columns.refer
	dense.ScaleColumns(scales, means)
	refer.outRows(scales)
	refer.outRows(v.Scale)
	v.Intercept, v.Floor = refer.outs(v.Intercept), refer.outs(v.Floor)
	return v, scales, nil
}

// weightedQuantiles returns the quantiles at i/200. Each is the smallest value whose cumulative weight reaches its
// share of the total weight plus the smallest weight of a row, or else the largest value.
func weightedQuantiles(u, weights []float64) []float64 {
	order := make([]int, len(u))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(u[a], u[b]) })
	total := dense.Sum(weights)
	least := math.Inf(1)
	for _, w := range weights {
		if w > 0 {
			least = min(least, w)
		}
	}
	total += least
	out, at, sum := make([]float64, quantiles), 0, weights[order[0]]
	for i := range out {
		share := float64(i+1) / (quantiles + 1) * (1 - 1e-12) // tolerates rounding of sums
		for sum < share*total && at < len(order)-1 {
			at++
			sum += weights[order[at]]
		}
		out[i] = u[order[at]]
	}
	return out
}

// learnScale regresses magnitudes on kernel entries of some landmarks, with the penalty of the smallest out-of-fold
// error. The last row of the coefficients holds the intercepts. A target with magnitudes predicted worse than by their
// mean has a constant scale.
func (c *candidate) learnScale(ctx context.Context, magnitudes blas64.General) (
	chosen []int, coefficients, outOfFold blas64.General, err error,
) {
	n, t, name := magnitudes.Rows, magnitudes.Cols, c.data.Rows.Info().Name
	landmarks, upper, chosen, err := c.someLandmarks(ctx)
	if err != nil {
		return nil, coefficients, outOfFold, err
	}
	q, f := upper.Cols, *c.fit
	f.known.outputs, f.outcomes = magnitudes, nil
	random := sketch.NewRandom(c.Seed, "scale of residuals")
	f.folds = folding{random: random, parts: scaleFolds, tested: scaleFolds}.dealt(f.known.sizes())
	features := &basis.Map{Tiles: c.features.Tiles, Landmarks: landmarks}
	s := &candidate{fit: &f, features: features, upper: upper, best: -1, lowest: math.Inf(1)}
	s.centerAtLandmarks()
	rows := matrix.New(n, q+1+t) // [z | 1 | magnitudes]·√w
	err = stream.Each(ctx, c.engine.Threads, (n+tilesize.PanelRows-1)/tilesize.PanelRows, func(panel int) error {
		first := panel * tilesize.PanelRows
		x := matrix.Rows(c.sample.Rows, first, min(tilesize.PanelRows, n-first))
		z := matrix.Columns(matrix.Rows(rows, first, x.Rows), 0, q)
		if err := features.Raw(name)(z, x, input.Numbers{List: c.sample.Number[first:]}); err != nil {
			return err
		}
		s.centerEntries(z)
		blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(upper), z)
		return nil
	})
	if err != nil {
		return nil, coefficients, outOfFold, err
	}
	places, byPart := make([]int, n), make([][]int, f.folds.parts)
	for i, group := range f.known.group {
		p := f.folds.part(group)
		places[i], byPart[p] = i, append(byPart[p], i)
	}
	f.known.complete(rows, places)
	for _, members := range byPart {
		part := dense.PickRows(rows, members)
		s.grams = append(s.grams, dense.Mul(blas.Trans, part, blas.NoTrans, part))
	}
	if s.all, err = newNormalEquations(sumMatrices(s.grams), blas64.General{}, q); err != nil {
		err = fmt.Errorf("%s: residuals of the scoring sample: %w", name, err)
		return nil, coefficients, outOfFold, err
	}
	coefficients, outOfFold = matrix.New(q+1, t), matrix.New(n, t)
	copy(matrix.Row(coefficients, q), s.all.means[q:])
	for i := range n {
		copy(matrix.Row(outOfFold, i), s.all.means[q:])
	}
	for _, gram := range s.grams {
		if matrix.Row(gram, q)[q] == s.all.weight { // the rest is constant
			return chosen, coefficients, outOfFold, nil
		}
	}
	penalties := tenTo(leastPenalty*largestEigenvalue(s.all.upper(0)), 0, 1, 2, 3, 4, 5, 6)
	if err := s.try(ctx, penalties); err != nil || s.best < 0 {
		return chosen, coefficients, outOfFold, err
	}
	held, err := s.holdOut(ctx)
	if err != nil {
		return nil, coefficients, outOfFold, err
	}
	best := s.path[s.best]
	whole, err := s.all.solve(best.Lambda)
	if err != nil {
		return nil, coefficients, outOfFold, err
	}
	whole = s.onEntries([]blas64.General{whole})
	for j, rmse := range best.RMSE {
		if rmse*rmse*s.all.weight < s.all.unexplained[j] {
			blas64.Copy(column(whole, j), column(coefficients, j))
			blas64.Copy(column(held.predictions, j), column(outOfFold, j))
		}
	}
	return chosen, coefficients, outOfFold, nil
}

// column returns column j as a vector that shares the memory of m.
func column(m blas64.General, j int) blas64.Vector {
	return blas64.Vector{N: m.Rows, Inc: m.Stride, Data: m.Data[j:]}
}

// someLandmarks returns up to 100 of the independent landmarks, evenly spaced, and their triangular factor.
func (c *candidate) someLandmarks(ctx context.Context) (landmarks *basis.Panel, upper blas64.General,
	chosen []int, err error) {
	all := c.features.Landmarks
	n := min(all.Count(), scaleLandmarks)
	for i := range n {
		chosen = append(chosen, i*all.Count()/n)
	}
	landmarks, upper, err = basis.Whiten(ctx, c.engine, c.features.Tiles, all.Pick(chosen))
	if err != nil {
		return nil, upper, nil, err
	}
	chosen = chosen[:0]
	for _, number := range landmarks.Number {
		at, _ := slices.BinarySearch(all.Number, number)
		chosen = append(chosen, at)
	}
	return landmarks, upper, chosen, nil
}
