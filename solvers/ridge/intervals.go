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
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// Intervals gives prediction intervals: the scale s(x) of a residual, and quantiles of absolute
// residuals divided by their scales. The interval of a level is the prediction ± s(x) times the quantile
// at the level. All of it is learnt from out-of-fold residuals (Lei et al. 2018, "Distribution-free
// predictive inference for regression", section 5.2, with folds).
type Intervals struct {
	// Residuals is the number of out-of-fold residuals.
	Residuals int `json:"residuals" min:"1"`
	// The scale of a row is k(x, Landmarks)·Scale + Intercept, at least Floor.
	Scale     blas64.General `json:"-" array:"scale,p,t"`
	Intercept []float64      `json:"-" array:"intercept,t"`
	Floor     []float64      `json:"-" array:"floor,t"`
	// Quantiles are those at 1/200, 2/200, …, 199/200 for each target.
	Quantiles blas64.General `json:"-" array:"quantiles,t,199"`
}

const (
	quantiles = 199
	// scaleLandmarks is the number of landmarks that the scale of residuals is learnt with, at most.
	scaleLandmarks = 100
	scaleFolds     = 5
	// leastScale is the smallest scale, relative to the mean absolute residual.
	leastScale = 0.2
)

// Highest returns the highest level of an interval: 0.995, or n/(n + 1) of n < 199 residuals.
func (v *Intervals) Highest() float64 {
	return min(quantiles/float64(quantiles+1), float64(v.Residuals)/float64(v.Residuals+1))
}

// quantile returns the quantile of a target, between two of the grid by a straight line.
func (v *Intervals) quantile(target int, level float64) float64 {
	q := dense.Row(v.Quantiles, target)
	at := min(max(level*(quantiles+1)-1, 0), quantiles-1)
	i := min(int(at), quantiles-2)
	return q[i] + (at-float64(i))*(q[i+1]-q[i])
}

// halfWidth returns half of the width of the interval of a target, of the scale before its floor.
func (v *Intervals) halfWidth(target int, scale, level float64) float64 {
	return max(scale, v.Floor[target]) * v.quantile(target, level)
}

// intervals learns them from out-of-fold residuals: the scale is a ridge regression of their
// magnitudes on features of up to 100 landmarks, its penalty chosen by folds of these rows.
// Cost for m residuals: 100·m kernel entries, 2·100²·m flops.
// They are nil if no row that is left out has a weight.
func (c *candidate) intervals(ctx context.Context, held *heldOut) (*Intervals, error) {
	n, t, weights := c.sample.Count(), c.outputs, c.known.weight
	magnitudes, means, total := stream.NewMatrix(n, t), make([]float64, t), dense.Sum(weights)
	for i := range n {
		for j, v := range dense.Row(c.known.outputs, i) {
			residual := math.Abs(v - dense.Row(held.predictions, i)[j])
			dense.Row(magnitudes, i)[j] = residual
			means[j] += weights[i] * residual
		}
	}
	if total == 0 {
		return nil, nil
	}
	for j := range means {
		if means[j] /= total; !(means[j] > 0) {
			means[j] = 1 // all residuals are 0
		}
		for i := range n {
			dense.Row(magnitudes, i)[j] /= means[j]
		}
	}
	scale, err := c.learnScale(ctx, magnitudes)
	if err != nil {
		return nil, err
	}
	v := &Intervals{Residuals: n, Scale: stream.NewMatrix(c.upper.Cols, t), Intercept: scale.intercept,
		Floor: make([]float64, t), Quantiles: stream.NewMatrix(t, quantiles)}
	for i, landmark := range scale.landmarks {
		for j := range t {
			dense.Row(v.Scale, landmark)[j] = dense.Row(scale.coefficients, i)[j] * means[j]
		}
	}
	for j, mean := range means {
		v.Intercept[j] *= mean
		v.Floor[j] = leastScale * mean
		u := make([]float64, n)
		for i := range u {
			u[i] = dense.Row(magnitudes, i)[j] / max(dense.Row(scale.outOfFold, i)[j], leastScale)
		}
		copy(dense.Row(v.Quantiles, j), weightedQuantiles(u, weights))
	}
	return v, nil
}

// weightedQuantiles returns those at i/200: the least number at which the cumulative weight reaches
// its share of the total and of one mean weight more, or the largest.
func weightedQuantiles(u, weights []float64) []float64 {
	order := make([]int, len(u))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(u[a], u[b]) })
	total := dense.Sum(weights)
	total += total / float64(len(u))
	out, at, sum := make([]float64, quantiles), 0, weights[order[0]]
	for i := range out {
		share := float64(i+1) / (quantiles + 1) * (1 - 1e-12) // rounding of sums
		for sum < share*total && at < len(order)-1 {
			at++
			sum += weights[order[at]]
		}
		out[i] = u[order[at]]
	}
	return out
}

// scaleModel is a regression on magnitudes of residuals.
type scaleModel struct {
	landmarks    []int          // of all landmarks, those that serve
	coefficients blas64.General // of kernel entries
	intercept    []float64
	outOfFold    blas64.General // of each residual
}

// learnScale regresses magnitudes on features of some landmarks. A target whose magnitudes are
// predicted worse than by their mean has a constant scale.
func (c *candidate) learnScale(ctx context.Context, magnitudes blas64.General) (*scaleModel, error) {
	n, t := magnitudes.Rows, magnitudes.Cols
	landmarks, upper, chosen, err := c.someLandmarks(ctx)
	if err != nil {
		return nil, err
	}
	q := upper.Cols
	rows := stream.NewMatrix(n, q+1+t) // [z | 1 | magnitudes]
	features := (&basis.Map{Tiles: c.features.Tiles, Landmarks: landmarks}).Features(c.data.Rows.Info().Name)
	err = stream.Each(ctx, c.engine.Threads, (n+stream.PanelRows-1)/stream.PanelRows, func(panel int) error {
		first := panel * stream.PanelRows
		x := stream.RowSlice(c.sample.Rows, first, min(stream.PanelRows, n-first))
		z := dense.Columns(stream.RowSlice(rows, first, x.Rows), 0, q)
		if err := features.Worker()(z, x, c.sample.Number[first]); err != nil {
			return err
		}
		blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(upper), z)
		return nil
	})
	if err != nil {
		return nil, err
	}
	parts := c.scaleParts()
	grams := make([]blas64.General, len(parts))
	for i := range n {
		row := dense.Row(rows, i)
		row[q] = 1
		copy(row[q+1:], dense.Row(magnitudes, i))
	}
	for p, members := range parts {
		part := dense.PickRows(rows, members)
		for i, r := range members {
			blas64.Scal(math.Sqrt(c.known.weight[r]), dense.Vector(dense.Row(part, i)))
		}
		grams[p] = dense.Mul(blas.Trans, part, blas.NoTrans, part)
	}
	m := &scaleModel{landmarks: chosen, coefficients: stream.NewMatrix(q, t), intercept: make([]float64, t),
		outOfFold: stream.NewMatrix(n, t)}
	all, err := newNormal(total(grams), blas64.General{}, q)
	if err != nil {
		return nil, fmt.Errorf("%s: residuals of the scoring sample: %w", c.data.Rows.Info().Name, err)
	}
	copy(m.intercept, all.means[q:])
	for j, mean := range m.intercept {
		for i := range n {
			dense.Row(m.outOfFold, i)[j] = mean
		}
	}
	least := slices.Clone(all.unexplained) // by the mean
	norm := largest(all.upper(0))
	for power := range 7 {
		lambda := leastPenalty * norm * math.Pow10(power)
		models, errs := scaleFold(all.whole, grams, q, lambda)
		whole, err := all.solve(lambda)
		if models == nil || err != nil {
			continue
		}
		for j := range t {
			if !(errs[j] < least[j]) {
				continue
			}
			least[j], m.intercept[j] = errs[j], dense.Row(whole, q)[j]
			for i := range q {
				dense.Row(m.coefficients, i)[j] = dense.Row(whole, i)[j]
			}
			for p, members := range parts {
				column := dense.PickColumns(models[p], []int{j})
				for _, r := range members {
					dense.Row(m.outOfFold, r)[j] = dense.Dot(dense.Row(rows, r)[:q+1], column.Data)
				}
			}
		}
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, basis.Upper(upper), m.coefficients)
	return m, nil
}

// scaleFold returns the coefficients without each part, and the squared errors of all parts; nil if a
// part cannot be left out.
func scaleFold(whole blas64.General, grams []blas64.General, q int, lambda float64) (models []blas64.General, errs []float64) {
	for _, gram := range grams {
		without, err := newNormal(whole, gram, q)
		if err != nil {
			return nil, nil
		}
		c, err := without.solve(lambda)
		if err != nil {
			return nil, nil
		}
		if errs == nil {
			errs = make([]float64, c.Cols)
		}
		models = append(models, c)
		dense.Axpy(1, squaredErrors(gram, c), errs)
	}
	return models, errs
}

// someLandmarks returns up to 100 of the landmarks, evenly spread, those among all that serve, and
// their triangle.
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

// scaleParts divides residuals into folds, groups staying together. Folds without a row are left out.
func (c *candidate) scaleParts() [][]int {
	by := folding{random: sketch.NewRandom(c.Seed, "scale of residuals"), parts: scaleFolds, tested: scaleFolds}
	parts := make([][]int, scaleFolds)
	for i, group := range c.known.group {
		p := by.part(group)
		parts[p] = append(parts[p], i)
	}
	return slices.DeleteFunc(parts, func(members []int) bool { return len(members) == 0 })
}
