package main

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/lssvm"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// The setting of node classification: an LS-SVM, one class against the rest, with the
// paper's regularisation.
const (
	lssvmGamma = 1.0
	testShare  = 0.1
)

// scales and powers are the feature scales and the exponents of the singular values
// that cross-validation chooses from: see features.weighted.
var (
	scales = []float64{2, 5, 10, 20, 50, 200}
	powers = []float64{0.5, 1}
)

// choice is what cross-validation chooses.
type choice struct {
	features     *features
	power, scale float64
}

// f1 are the two figures of Table 1.
type f1 struct{ micro, macro float64 }

// classifier classifies the nodes of one graph.
type classifier struct {
	ctx     context.Context
	engine  stream.Engine
	labels  []int
	classes int
	folds   int
}

// score trains on some rows of x and tests on others.
func (c *classifier) score(x blas64.General, s split.Split) (f1, error) {
	train, err := rowsOf(c.ctx, x, s.Train)
	if err != nil {
		return f1{}, err
	}
	test, err := rowsOf(c.ctx, x, s.Test)
	if err != nil {
		return f1{}, err
	}
	model, err := lssvm.Fit(c.ctx, c.engine, train, picked(c.labels, s.Train), c.classes, lssvmGamma)
	if err != nil {
		return f1{}, err
	}
	predicted, err := model.Predict(c.ctx, c.engine, test)
	if err != nil {
		return f1{}, err
	}
	truth := picked(c.labels, s.Test)
	var r f1
	if r.micro, err = metrics.MicroF1(truth, predicted); err == nil {
		r.macro, err = metrics.MacroF1(truth, predicted)
	}
	return r, err
}

// rowsOf are some rows of x as a source.
func rowsOf(ctx context.Context, x blas64.General, rows []int64) (stream.Gatherer, error) {
	m, err := stream.GatherRows(ctx, stream.FromMatrix("features", x), rows)
	return stream.FromMatrix("features", m), err
}

// picked are the values with the given numbers.
func picked[T any](all []T, rows []int64) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = all[r]
	}
	return out
}

// choose is the choice with the best mean micro F1 over the folds of the training
// rows, the first of equal ones. The test rows take no part.
func (c *classifier) choose(all []*features, train []int64, seed uint64) (choice, error) {
	folds, err := split.StratifiedKFold(picked(c.labels, train), c.folds, seed)
	if err != nil {
		return choice{}, err
	}
	best, most := choice{}, math.Inf(-1)
	for _, f := range all {
		for _, power := range powers {
			for _, scale := range scales {
				mean, err := c.crossValidated(f.weighted(power, scale), train, folds)
				if err != nil {
					return best, err
				}
				if mean > most {
					best, most = choice{f, power, scale}, mean
				}
			}
		}
	}
	return best, nil
}

// crossValidated is the mean micro F1 over folds of the training rows.
func (c *classifier) crossValidated(x blas64.General, train []int64, folds []split.Split) (float64, error) {
	sum := 0.0
	for _, s := range folds {
		r, err := c.score(x, split.Split{Train: picked(train, s.Train), Test: picked(train, s.Test)})
		if err != nil {
			return 0, err
		}
		sum += r.micro
	}
	return sum / float64(len(folds)), nil
}
