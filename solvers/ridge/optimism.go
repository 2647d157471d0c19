package ridge

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

const (
	// correctedRows is the largest number of rows for which errors are corrected for the choice. The optimism decreases
	// with the rows: at 2,000 it is below the standard error.
	correctedRows = 2000
	// resamples is the number of bootstrap resamples of the correction.
	resamples = 300
)

// heldOutLosses holds the out-of-fold losses of all configurations, each a kernel with a penalty. The error of the
// chosen configuration is an optimistic estimate, because the same rows chose it. [heldOutLosses.corrected] removes the
// optimism by BBC-CV (Tsamardinos, Greasidou & Borboudakis 2018, "Bootstrapping the out-of-sample predictions for
// efficient and accurate cross-validation").
type heldOutLosses struct {
	choice   [][]float64 // by configuration and row: the weighted loss that decides
	reported [][]float64 // by configuration, row and statistic: the weighted loss that is reported
	wrong    [][]float64 // by configuration and row: 1 if misclassified, see [choice]; nil for targets
}

// corrects reports whether a fit of n rows corrects its errors for the choice.
func (s Solver) corrects(rows int64) bool { return rows <= correctedRows && !s.forMetric }

// addOutcomes adds one configuration for each penalty. predictions are those of the scoring sample, for all penalties
// side by side. It skips penalties for which the equations of some fold cannot be solved.
func (c *candidate) addOutcomes(models foldCoefficients, predictions blas64.General) {
	for i := range models[0] {
		if !models.solved(i) {
			continue
		}
		own := matrix.Columns(predictions, i*c.outputs, c.outputs)
		reported, choice := c.reportedLosses(own), c.rowSquares(own)
		for r, w := range c.known.weight {
			choice[r] *= w
		}
		if c.data.Classes != nil {
			c.outcomes.wrong = append(c.outcomes.wrong, slices.Clone(reported.Data))
		}
		for r, w := range c.lossWeights() {
			blas64.Scal(w, dense.Vector(matrix.Row(reported, r)))
		}
		c.outcomes.choice = append(c.outcomes.choice, choice)
		c.outcomes.reported = append(c.outcomes.reported, reported.Data)
	}
}

// rowSquares returns the contribution of each row of the scoring sample to [candidate.squares], without its weight.
func (c *candidate) rowSquares(predictions blas64.General) []float64 {
	squares := make([]float64, predictions.Rows)
	for r := range squares {
		for j, v := range matrix.Row(c.known.outputs, r) {
			if v -= matrix.Row(predictions, r)[j]; c.variance(j) > 0 {
				squares[r] += v * v / c.variance(j)
			}
		}
	}
	return squares
}

// solved reports whether all folds have a model of penalty i.
func (m foldCoefficients) solved(i int) bool {
	for _, of := range m {
		if of[i].Rows == 0 {
			return false
		}
	}
	return true
}

// reportedLosses returns the reported losses of each row of the scoring sample: the squared error of each target, or 1
// if it is misclassified, else 0.
func (c *candidate) reportedLosses(predictions blas64.General) blas64.General {
	if c.data.Classes != nil {
		return blas64.General{Rows: predictions.Rows, Cols: 1, Stride: 1, Data: c.misclassified(predictions)}
	}
	losses := matrix.New(predictions.Rows, c.outputs)
	for r := range predictions.Rows {
		for j, v := range matrix.Row(c.known.outputs, r) {
			v -= matrix.Row(predictions, r)[j]
			matrix.Row(losses, r)[j] = v * v
		}
	}
	return losses
}

// lossWeights returns the weights of the rows of the scoring sample in reported losses.
func (c *candidate) lossWeights() []float64 {
	if c.data.Classes != nil {
		return c.known.rowWeight
	}
	return c.known.weight
}

// corrected returns the mean of each reported loss, corrected for the choice among the configurations. Each resample
// draws groups with replacement, as many as there are, and takes the configuration that [choice] prefers on them. The
// estimate is the mean of that configuration's losses on the groups not drawn, over all resamples. weights apply to the
// reported losses, and choosing to the losses that decide. Rows of weight 0 are ignored. It returns nil for a single
// configuration, or if every resample draws all rows. Cost for J configurations of n rows: 600·n·J flops.
func (o *heldOutLosses) corrected(weights, choosing []float64, groups clusters, seed uint64) []float64 {
	if o == nil || len(o.choice) < 2 || len(weights) == 0 {
		return nil
	}
	n, figures := len(weights), len(o.reported[0])/len(weights)
	all := matrix.New(len(o.choice), n)
	for j, losses := range o.choice {
		copy(matrix.Row(all, j), losses)
	}
	random := sketch.NewRandom(seed, "optimism")
	times, bag, sums := make([]int, groups.count), make([]float64, n), make([]float64, len(o.choice))
	means, used := make([]float64, figures), 0
	for b := range resamples {
		clear(times)
		for draws, i := random.At(uint64(b)), 0; i < groups.count; i++ {
			times[draws.Uint64n(uint64(groups.count))]++
		}
		outside, weight := make([]float64, figures), 0.0
		for r, g := range groups.of {
			if bag[r] = 0; g >= 0 {
				bag[r] = float64(times[g])
			}
		}
		blas64.Gemv(blas.NoTrans, 1, all, dense.Vector(bag), 0, dense.Vector(sums))
		floats.Mul(bag, choosing)
		losses := o.reported[choice{groups, bag}.best(sums, o.wrong)]
		for r, g := range groups.of {
			if g >= 0 && times[g] == 0 {
				floats.Add(outside, losses[r*figures:][:figures])
				weight += weights[r]
			}
		}
		if weight > 0 {
			floats.AddScaled(means, 1/weight, outside)
			used++
		}
	}
	if used == 0 {
		return nil
	}
	floats.Scale(1/float64(used), means)
	return means
}
