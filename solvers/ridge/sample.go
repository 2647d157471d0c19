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

// holdOut predicts the rows of the scoring sample, each with the model of one penalty that is
// trained without its fold.
// Cost: a kernel entry for each of these rows and landmarks, ℓ³/3 flops for each fold.
func (c *candidate) holdOut(ctx context.Context, penalty float64) (*heldOut, error) {
	models, err := c.train(ctx, []float64{penalty})
	if err != nil {
		return nil, err
	}
	p, n := c.upper.Cols, c.sample.Count()
	onEntries := make([]blas64.General, len(models))
	for part, coefficients := range models {
		if coefficients[0].Rows == 0 {
			return nil, fmt.Errorf("%s: without fold %d the penalty %g is too small for %d features; take a larger `penalty`", c.data.Rows.Info().Name, part+1, penalty, p)
		}
		onEntries[part] = c.onEntries(coefficients)
	}
	features := c.features.Features(c.data.Rows.Info().Name)
	all, panels := stream.NewMatrix(n, c.outputs), (n+stream.PanelRows-1)/stream.PanelRows
	err = stream.Each(ctx, c.engine.Threads, panels, func(panel int) error {
		first := panel * stream.PanelRows
		x := stream.RowSlice(c.sample.Rows, first, min(stream.PanelRows, n-first))
		k := stream.NewMatrix(x.Rows, p+1)
		if err := features.Worker()(dense.Columns(k, 0, p), x, c.sample.Number[first]); err != nil {
			return err
		}
		for i := range k.Rows {
			dense.Row(k, i)[p] = 1
		}
		for part := range models {
			rows := c.left(panel, part)
			if len(rows) == 0 {
				continue
			}
			predicted := dense.Mul(blas.NoTrans, dense.PickRows(k, rows), blas.NoTrans, onEntries[part])
			for i, r := range rows {
				copy(dense.Row(all, first+r), dense.Row(predicted, i))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var left []int
	for i, number := range c.sample.Number {
		if c.folds.part(number) < c.folds.tested {
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
