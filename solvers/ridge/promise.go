package ridge

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/metrics"
)

// Figure is an estimate with its standard error.
type Figure struct{ Value, StandardError float64 }

// setErrors sets the out-of-fold errors of targets, corrected for the choice, and their standard errors by the delta
// method. Gram matrices give the squared errors of all rows, but not their variance, which is estimated from residuals
// of the scoring sample. Standard errors shrink with rows beyond the sample, except with groups: more rows of the same
// groups need not help.
func (c *candidate) setErrors(fit *Fit, held *heldOut) {
	groups, weights, losses := newClusters(&c.known), relativeWeights(c.known.weight), c.reportedLosses(held.predictions)
	corrected := c.outcomes.corrected(c.known.weight, c.known.weight, groups, c.Seed)
	if corrected != nil {
		fit.Configurations = len(c.outcomes.choice)
	}
	shrink := 1.0
	if c.data.FoldBy == "" {
		shrink = math.Sqrt(min(1, dense.Sum(c.known.weight)/c.leftOutWeight()))
	}
	fit.RMSE, fit.R2Error = make([]Figure, c.outputs), make([]float64, c.outputs)
	for j := range c.outputs {
		squares, spread := dense.PickColumns(losses, []int{j}).Data, dense.PickColumns(c.known.outputs, []int{j}).Data
		raw, mean := meanOf(squares, weights), meanOf(spread, weights)
		for r, v := range spread {
			spread[r] = (v - mean) * (v - mean)
		}
		variance, factor := meanOf(spread, weights), 1.0
		if corrected != nil && raw > 0 {
			factor = corrected[j] / raw
		}
		rmse := fit.Chosen().RMSE[j] * math.Sqrt(factor)
		fit.RMSE[j].Value, fit.R2[j] = rmse, 1-(1-fit.R2[j])*factor
		if raw != 0 {
			fit.RMSE[j].StandardError = shrink * math.Sqrt(groups.variance(squares, weights)) / (2 * raw) * rmse
		}
		for r, s := range squares { // the influence of a row on R²
			spread[r] = factor * (s - raw/variance*spread[r]) / variance
		}
		fit.R2Error[j] = shrink * math.Sqrt(groups.variance(spread, weights))
	}
}

// leftOutWeight returns the total weight of the held-out rows.
func (c *candidate) leftOutWeight() (sum float64) {
	for part := range c.folds.tested {
		sum += matrix.Row(c.grams[part], c.upper.Cols)[c.upper.Cols]
	}
	return sum
}

// setClassErrors corrects the accuracy for the choice and adds its standard error. total is the weight of the rows
// behind the accuracy, which may be more than the scoring sample.
func (c *candidate) setClassErrors(fit *Fit, held *heldOut, total float64) {
	groups, weights := newClusters(&c.known), relativeWeights(c.known.rowWeight)
	wrong := c.reportedLosses(held.predictions).Data
	counted, share, n := meanOf(wrong, weights), 1-fit.Scores.Accuracy, groups.effective(weights)
	corrected := c.outcomes.corrected(c.known.rowWeight, relativeWeights(c.known.weight), groups, c.Seed)
	if corrected != nil {
		share, fit.Configurations = corrected[0], len(c.outcomes.choice)
	}
	design := 1.0 // design effect: variance relative to independent rows of equal weight
	if counted > 0 && counted < 1 && n > 1 {
		design = groups.variance(wrong, weights) * (n - 1) / (counted * (1 - counted))
	}
	if c.data.FoldBy == "" {
		n *= max(1, total/dense.Sum(c.known.rowWeight))
	}
	fit.Scores.Accuracy = 1 - share
	fit.Scores.StandardError = metrics.ShareErrorOf(share, design*share*(1-share)/n, n)
	c.warnUseless(fit, wrong, share-counted, groups)
}

// warnUseless warns if the model is no better, within a standard error of the difference, than predicting the largest
// class for all rows. Weights of rows include those of classes. excess is the optimism of the choice, to be added to
// the misclassification rate.
func (c *candidate) warnUseless(fit *Fit, wrong []float64, excess float64, groups clusters) {
	weights, sums := relativeWeights(c.known.weight), make([]float64, c.data.Classes.count())
	for r, class := range c.known.class {
		sums[class] += weights[r]
	}
	largest, gains := floats.MaxIdx(sums), make([]float64, len(wrong))
	for r, class := range c.known.class {
		if gains[r] = -wrong[r]; class != largest {
			gains[r]++
		}
	}
	if meanOf(gains, weights)-excess > math.Sqrt(groups.variance(gains, weights)) {
		return
	}
	const say = "the model misclassifies %.3g of the rows left out, and the class %s for all rows %.3g: " +
		"it may be of use for probabilities only; try other columns or kernels, or weights of classes"
	fit.Warn(fmt.Sprintf(say, meanOf(wrong, weights)+excess, c.data.Classes.Names()[largest],
		1-sums[largest]/dense.Sum(weights)))
}
