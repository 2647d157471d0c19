package ridge

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// heldOut are the rows of the scoring sample that are left out of a training set, and what the
// models without them predict.
type heldOut struct {
	models      trained        // of one penalty
	places      []int          // of the rows in the sample
	predictions blas64.General // decision values or targets of each row
}

// samplePanels returns the number of panels of the scoring sample.
func (c *candidate) samplePanels() int {
	return (c.sample.Count() + stream.PanelRows - 1) / stream.PanelRows
}

// leaveOut predicts the rows of the scoring sample by the models that are trained without their folds:
// of several penalties side by side. It calls do concurrently for the places in the sample of the rows
// of each panel and part.
func (c *candidate) leaveOut(ctx context.Context, models trained,
	do func(panel, part int, rows []int, predictions blas64.General)) error {
	worker := c.outOfFold(models)
	return stream.Each(ctx, c.engine.Threads, c.samplePanels(), func(panel int) error {
		first := panel * stream.PanelRows
		last := min(first+stream.PanelRows, c.sample.Count())
		numbers := model.Numbers{List: c.sample.Number[first:last]}
		x := stream.RowSlice(c.sample.Rows, first, last-first)
		return worker()(x, numbers, c.known.group[first:last], func(part int, rows []int, predictions blas64.General) {
			for i := range rows {
				rows[i] += first
			}
			do(panel, part, rows, predictions)
		})
	})
}

// A predictor predicts the rows x of a panel, which have the numbers and groups given, and calls do for the
// rows of each part that is left out.
type predictor func(x blas64.General, numbers model.Numbers, groups []uint64,
	do func(part int, rows []int, predictions blas64.General)) error

// outOfFold returns predictors of models that are trained without a part. The coefficients are taken to
// kernel entries, in
// place of the rows to features.
// Cost of a row: a kernel entry for each landmark, and 2·ℓ flops for each output and penalty.
func (c *candidate) outOfFold(models trained) func() predictor {
	wide := make([]blas64.General, len(models)) // coefficients of all penalties side by side
	for part, coefficients := range models {
		wide[part] = c.onEntries(coefficients)
	}
	p, name := c.upper.Cols, c.data.Rows.Info().Name
	return func() predictor {
		fill, room := c.features.Raw(name), stream.NewMatrix(stream.PanelRows, p+1)
		for i := range room.Rows {
			dense.Row(room, i)[p] = 1
		}
		return func(x blas64.General, numbers model.Numbers, groups []uint64,
			do func(part int, rows []int, predictions blas64.General)) error {
			k := stream.RowSlice(room, 0, x.Rows)
			if err := fill(dense.Columns(k, 0, p), x, numbers); err != nil {
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
					do(part, rows, dense.Mul(blas.NoTrans, dense.PickRows(k, rows), blas.NoTrans, wide[part]))
				}
			}
			return nil
		}
	}
}

// holdOut predicts the rows of the scoring sample by the models of the chosen penalty without their folds.
func (c *candidate) holdOut(ctx context.Context) (*heldOut, error) {
	models, penalty := c.bestModels, c.path[c.best].Lambda
	for part, coefficients := range models {
		if coefficients[0].Rows == 0 {
			return nil, fmt.Errorf("%s: without fold %d the penalty %g is too small for %d features; take a larger `penalty`", c.data.Rows.Info().Name, part+1, penalty, c.upper.Cols)
		}
	}
	all, isLeft := stream.NewMatrix(c.sample.Count(), c.outputs), make([]bool, c.sample.Count())
	err := c.leaveOut(ctx, models, func(_, _ int, rows []int, predictions blas64.General) {
		for i, r := range rows {
			copy(dense.Row(all, r), dense.Row(predictions, i))
			isLeft[r] = true
		}
	})
	if err != nil {
		return nil, err
	}
	var left []int
	for i := range isLeft {
		if isLeft[i] {
			left = append(left, i)
		}
	}
	return &heldOut{models, left, dense.PickRows(all, left)}, nil
}

// answers adds to a fit what out-of-fold predictions of the chosen penalty teach: scores and a
// temperature of classes, intervals of targets.
func (c *candidate) answers(ctx context.Context, fit *Fit) error {
	held, err := c.holdOut(ctx)
	if err != nil {
		return err
	}
	fit.Counted = len(held.places)
	if c.data.Classes != nil {
		return c.score(ctx, fit, held)
	}
	if fit.Intervals, err = c.intervals(ctx, held); err != nil {
		return err
	}
	if fit.Intervals == nil {
		fit.Note(fmt.Sprintf("the model has no intervals: none of %d rows of a sample that are left out of a fold has a weight", c.sample.Count()))
	}
	if c.Std {
		fit.Posterior, err = c.posterior(fit.Lambda)
	}
	return err
}
