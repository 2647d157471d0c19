package ridge

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// heldOut holds the models of one penalty and their out-of-fold predictions of the scoring sample.
type heldOut struct {
	models      foldCoefficients
	predictions blas64.General // decision values or targets
	wrong       []float64      // 1 for each misclassified row; nil for targets
}

// leaveOut returns out-of-fold predictions of the scoring sample, for several penalties side by side.
func (c *candidate) leaveOut(ctx context.Context, models foldCoefficients) (blas64.General, error) {
	worker, n := c.outOfFold(models), c.sample.Count()
	out := matrix.New(n, len(models[0])*c.outputs)
	return out, stream.Each(ctx, c.engine.Threads, (n+tilesize.PanelRows-1)/tilesize.PanelRows, func(panel int) error {
		first := panel * tilesize.PanelRows
		last := min(first+tilesize.PanelRows, n)
		numbers := input.Numbers{List: c.sample.Number[first:last]}
		x := matrix.Rows(c.sample.Rows, first, last-first)
		return worker()(x, numbers, c.known.group[first:last], func(rows []int, predictions blas64.General) {
			for i, r := range rows {
				copy(matrix.Row(out, first+r), matrix.Row(predictions, i))
			}
		})
	})
}

// predictor predicts rows x of a panel, with the given numbers and groups. It calls do with the predictions of each
// held-out part.
type predictor func(x blas64.General, numbers input.Numbers, groups []uint64,
	do func(rows []int, predictions blas64.General)) error

// outOfFold returns predictors of the models trained without a part. They convert coefficients to kernel entries,
// rather than rows to features. Cost of a row: a kernel entry for each landmark, and 2·ℓ flops for each output and
// penalty.
func (c *candidate) outOfFold(models foldCoefficients) func() predictor {
	wide := make([]blas64.General, len(models)) // coefficients of all penalties side by side
	for part, coefficients := range models {
		wide[part] = c.onEntries(coefficients)
	}
	p, name := c.upper.Cols, c.data.Rows.Info().Name
	return func() predictor {
		fill, room := c.features.Raw(name), matrix.New(tilesize.PanelRows, p+1)
		for i := range room.Rows {
			matrix.Row(room, i)[p] = 1
		}
		return func(x blas64.General, numbers input.Numbers, groups []uint64,
			do func(rows []int, predictions blas64.General)) error {
			k := matrix.Rows(room, 0, x.Rows)
			if err := fill(matrix.Columns(k, 0, p), x, numbers); err != nil {
				return err
			}
			byPart := make([][]int, len(models))
			for i := range x.Rows {
				if part := c.folds.part(groups[i]); part < len(models) {
					byPart[part] = append(byPart[part], i)
				}
			}
			for part, rows := range byPart {
				if len(rows) > 0 {
					do(rows, dense.Mul(blas.NoTrans, dense.PickRows(k, rows), blas.NoTrans, wide[part]))
				}
			}
			return nil
		}
	}
}

// holdOut returns the out-of-fold predictions of the chosen penalty.
func (c *candidate) holdOut(ctx context.Context) (held *heldOut, err error) {
	held = c.held[c.best]
	for part, coefficients := range held.models {
		if coefficients[0].Rows == 0 {
			const what = "%s: without fold %d the penalty %g is too small for %d features; take larger `Penalties`"
			return nil, fmt.Errorf(what, c.data.Rows.Info().Name, part+1, c.path[c.best].Lambda, c.upper.Cols)
		}
	}
	if held.predictions.Rows == 0 {
		held.predictions, err = c.leaveOut(ctx, held.models)
	}
	return held, err
}

// answers adds results of out-of-fold predictions with the chosen penalty to a fit: scores and a temperature for
// classes, intervals for targets.
func (c *candidate) answers(ctx context.Context, fit *Fit) error {
	held, err := c.holdOut(ctx)
	if err != nil {
		return err
	}
	fit.Scored = c.sample.Count()
	if c.data.Classes != nil {
		fit.OutOfFold = c.outOfFoldClasses(held)
		return c.score(ctx, fit, held)
	}
	c.setErrors(fit, held)
	scales := blas64.General{}
	if fit.Intervals, scales, err = c.intervals(ctx, held); err != nil {
		return err
	}
	fit.OutOfFold = c.outOfFoldTargets(held, fit.Intervals, scales)
	if fit.Intervals == nil {
		fit.Note(fmt.Sprintf("the model has no intervals: none of %d rows of a sample that are left out of a fold has a weight", c.sample.Count()))
	}
	if c.Std {
		fit.Posterior, err = c.posterior(fit.Lambda)
	}
	return err
}
