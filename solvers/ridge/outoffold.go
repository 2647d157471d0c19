package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/matrix"
)

// OutOfFold holds out-of-fold predictions for rows of the scoring sample: the model of each row was trained without its
// fold. Rows of weight 0 are not included.
type OutOfFold struct {
	// Truth and Predicted are target values, in their units, for at most 2,000 rows: m×t. HalfWidth is half the width
	// of their intervals at level 0.9. All three are empty for classes.
	Truth, Predicted, HalfWidth blas64.General
	// Class and Chosen are the true and the predicted class of all rows of the sample; nil for targets.
	Class, Chosen []int
}

const (
	shownLevel = 0.9
	mostShown  = 2000    // limit of rows with values of targets
	mostValues = 200_000 // limit of values, over all targets
)

// outOfFoldClasses returns the out-of-fold classes of the sample.
func (c *candidate) outOfFoldClasses(held *heldOut) *OutOfFold {
	out := &OutOfFold{}
	for r := range held.predictions.Rows {
		if c.known.rowWeight[r] > 0 {
			out.Class = append(out.Class, c.known.class[r])
			out.Chosen = append(out.Chosen, floats.MaxIdx(matrix.Row(held.predictions, r)))
		}
	}
	return out
}

// outOfFoldTargets returns the out-of-fold values of rows evenly spaced in the sample. scales are the scales of their
// residuals, in units of v and not yet bounded by its floor; v may be nil.
func (c *candidate) outOfFoldTargets(held *heldOut, v *Intervals, scales blas64.General) *OutOfFold {
	var rows []int
	for r, weight := range c.known.rowWeight {
		if weight > 0 {
			rows = append(rows, r)
		}
	}
	m := min(len(rows), mostShown, mostValues/max(1, c.outputs))
	out := &OutOfFold{Truth: matrix.New(m, c.outputs), Predicted: matrix.New(m, c.outputs), HalfWidth: matrix.New(m, c.outputs)}
	refer := c.columns.refer
	for i := range m {
		r := rows[i*len(rows)/m]
		for j := range c.outputs {
			matrix.Row(out.Truth, i)[j] = refer.out(j, matrix.Row(c.known.outputs, r)[j])
			matrix.Row(out.Predicted, i)[j] = refer.out(j, matrix.Row(held.predictions, r)[j])
			matrix.Row(out.HalfWidth, i)[j] = math.NaN()
			if v != nil {
				matrix.Row(out.HalfWidth, i)[j] = v.halfWidth(j, matrix.Row(scales, r)[j], shownLevel)
			}
		}
	}
	return out
}
