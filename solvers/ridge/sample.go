package ridge

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// heldOut are the rows of the scoring sample that are left out of a training set, and what the
// models without them predict.
type heldOut struct {
	rows        *basis.Panel
	predictions blas64.General // decision values or targets of each row
}

// samplePanels returns the number of panels of the scoring sample.
func (c *candidate) samplePanels() int {
	return (c.sample.Count() + stream.PanelRows - 1) / stream.PanelRows
}

// leaveOut predicts the rows of the scoring sample by the models that are trained without their folds:
// of several penalties side by side. It calls do concurrently for the places in the sample of the rows
// of each panel and part. The coefficients are taken to kernel entries, in place of the rows to features.
// Cost: a kernel entry for each of these rows and landmark, and 2·ℓ flops for each output and penalty.
func (c *candidate) leaveOut(ctx context.Context, models trained, do func(panel, part int, rows []int, predictions blas64.General)) error {
	wide := make([]blas64.General, len(models)) // coefficients of all penalties side by side
	for part, coefficients := range models {
		wide[part] = c.onEntries(coefficients)
	}
	features := c.features.Features(c.data.Rows.Info().Name)
	n, p := c.sample.Count(), c.upper.Cols
	return stream.Each(ctx, c.engine.Threads, c.samplePanels(), func(panel int) error {
		first := panel * stream.PanelRows
		x := stream.RowSlice(c.sample.Rows, first, min(stream.PanelRows, n-first))
		k := stream.NewMatrix(x.Rows, p+1)
		if err := features.Worker()(dense.Columns(k, 0, p), x, c.sample.Number[first]); err != nil {
			return err
		}
		inPanel, inSample := make([][]int, len(models)), make([][]int, len(models))
		for i := range k.Rows {
			dense.Row(k, i)[p] = 1
			if part := c.folds.part(c.sample.Number[first+i]); part < len(models) {
				inPanel[part], inSample[part] = append(inPanel[part], i), append(inSample[part], first+i)
			}
		}
		for part, rows := range inPanel {
			if len(rows) > 0 {
				do(panel, part, inSample[part], dense.Mul(blas.NoTrans, dense.PickRows(k, rows), blas.NoTrans, wide[part]))
			}
		}
		return nil
	})
}

// holdOut predicts the rows of the scoring sample, each with the model of one penalty that is
// trained without its fold.
// Cost: a kernel entry for each of these rows and landmarks, ℓ³/3 flops for each fold.
func (c *candidate) holdOut(ctx context.Context, penalty float64) (*heldOut, error) {
	models, err := c.train(ctx, []float64{penalty})
	if err != nil {
		return nil, err
	}
	for part, coefficients := range models {
		if coefficients[0].Rows == 0 {
			return nil, fmt.Errorf("%s: without fold %d the penalty %g is too small for %d features; take a larger `penalty`", c.data.Rows.Info().Name, part+1, penalty, c.upper.Cols)
		}
	}
	all, isLeft := stream.NewMatrix(c.sample.Count(), c.outputs), make([]bool, c.sample.Count())
	err = c.leaveOut(ctx, models, func(_, _ int, rows []int, predictions blas64.General) {
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
	return &heldOut{rows: c.sample.Pick(left), predictions: dense.PickRows(all, left)}, nil
}

// answers adds to a fit what out-of-fold predictions of the chosen penalty teach: scores and a
// temperature of classes, intervals of targets.
func (c *candidate) answers(ctx context.Context, fit *Fit) error {
	held, err := c.holdOut(ctx, fit.Lambda)
	if err != nil {
		return err
	}
	fit.Counted = held.rows.Count()
	if c.data.Classes > 0 {
		c.score(fit, held)
		return nil
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
