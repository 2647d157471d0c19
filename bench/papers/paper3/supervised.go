package paper3

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// fold is one division of a data set. Each column has mean 0 and deviation 1 on the training rows.
type fold struct {
	train, test             blas64.General
	trainLabels, testLabels []int
	classes                 int
}

// folds divides a data set into stratified folds.
func folds(ctx context.Context, d *datasets.Labelled, k int) ([]*fold, error) {
	splits, err := split.StratifiedKFold(d.Labels, k, seed)
	if err != nil {
		return nil, err
	}
	var all []*fold
	for _, s := range splits {
		f := &fold{classes: d.Classes}
		f.trainLabels, f.testLabels = scores.Picked(d.Labels, s.Train), scores.Picked(d.Labels, s.Test)
		rows := stream.FromMatrix("training rows", lab.PickRows(d.X, s.Train))
		prepared, err := prepare.New(ctx, stream.Engine{}, rows, prepare.Treatment{Scale: prepare.ScaleStandard})
		if err != nil {
			return nil, err
		}
		if f.train, err = stream.ReadAll(ctx, prepared); err != nil {
			return nil, err
		}
		tested, err := prepared.Apply(ctx, stream.Engine{}, stream.FromMatrix("test rows", lab.PickRows(d.X, s.Test)))
		if err != nil {
			return nil, err
		}
		if f.test, err = stream.ReadAll(ctx, tested); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// outcome is the result of a method on one fold.
type outcome struct {
	seconds    float64 // to find W
	value      float64 // J(W)
	accuracy   float64 // on the test rows
	iterations int
	settled    bool
}

// subspace computes W on training rows.
type subspace func(ctx context.Context, f *fold) (w blas64.General, o outcome, err error)

// score computes W on the training rows of a fold, trains a classifier on their XW, and tests it.
func (f *fold) score(ctx context.Context, find subspace) (outcome, error) {
	began := time.Now()
	w, o, err := find(ctx, f)
	if err != nil {
		return o, err
	}
	o.seconds = time.Since(began).Seconds()
	z := projected(f.train, w)
	setting, err := chooseSVM(ctx, z, f.trainLabels, f.classes)
	if err != nil {
		return o, err
	}
	predicted, err := setting.predict(z, f.trainLabels, f.classes, projected(f.test, w))
	if err != nil {
		return o, err
	}
	o.accuracy, err = metrics.Accuracy(f.testLabels, predicted)
	return o, err
}

// scoreAll scores all folds.
func scoreAll(ctx context.Context, all []*fold, find subspace) (done []outcome, err error) {
	for i, f := range all {
		o, err := f.score(ctx, find)
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", i, err)
		}
		done = append(done, o)
	}
	return done, nil
}

// projected returns X·W.
func projected(x, w blas64.General) blas64.General {
	z := stream.NewMatrix(x.Rows, w.Cols)
	(&ism.Model{W: w}).Project(z, x)
	return z
}

// ismSubspace computes W with package ism.
func ismSubspace(s ism.Solver, k kernelChoice) subspace {
	return func(ctx context.Context, f *fold) (w blas64.General, o outcome, err error) {
		known, err := ism.Classes(f.trainLabels, f.classes)
		if err != nil {
			return w, o, err
		}
		d := &ism.Data{Rows: stream.FromMatrix("training rows", f.train), Response: known}
		kernel, err := k.of(f)
		if err != nil {
			return w, o, err
		}
		fit, err := s.Fit(ctx, stream.Engine{}, d, kernel)
		if err != nil {
			return w, o, err
		}
		return fit.W, outcome{value: fit.Objective, iterations: fit.Iterations, settled: !fit.NotConverged}, nil
	}
}

// allColumns is no reduction, W = I: the classifier on all columns.
func allColumns(_ context.Context, f *fold) (w blas64.General, o outcome, err error) {
	w = stream.NewMatrix(f.train.Cols, f.train.Cols)
	for i := range w.Rows {
		w.Data[i*w.Stride+i] = 1
	}
	return w, outcome{value: math.NaN(), settled: true}, nil
}

// supervised is the table with labels.
func (e *experiment) supervised(ctx context.Context) (*report.Table, error) {
	t := &report.Table{File: "supervised-" + e.problem.name, Title: "Tables 4 and 5, supervised: " + e.problem.name,
		Head: []string{"kernel", "method", "q", "folds", "accuracy", "± over folds", "paper", "J", "J/exact", "seconds",
			"paper's", "iterations", "settled"},
		Notes: []string{fmt.Sprintf("%d rows, %d columns, %d classes; %d stratified folds. "+
			"Scaling, σ, W and classifier see the training rows only. W, its time and J = Tr(Γ·K) are those of a fit; J/exact "+
			"is over that of ISM exact on the same folds. The classifier is an LS-SVM with a Gaussian kernel on XW, chosen by "+
			"%d folds within the training rows. The paper has an SVM, and for face 960 columns.", e.data.X.Rows,
			e.data.X.Cols, e.data.Classes, e.folds, svmFolds)}}
	all, err := folds(ctx, e.data, e.folds)
	if err != nil {
		return nil, err
	}
	for _, k := range kernels {
		if err := e.kernelRows(ctx, t, all, k); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
	}
	whole, err := scoreAll(ctx, all, allColumns)
	if err != nil {
		return nil, err
	}
	addOutcomes(t, "–", "all columns", e.data.X.Cols, unknown, whole, whole)
	return t, nil
}

// kernelRows adds the rows of one kernel.
func (e *experiment) kernelRows(ctx context.Context, t *report.Table, all []*fold, k kernelChoice) error {
	var exact []outcome
	for _, engine := range []ism.Algorithm{ism.AlgorithmExact, ism.AlgorithmLinear} {
		done, err := scoreAll(ctx, all, ismSubspace(ism.Solver{Dim: e.dim, Algorithm: engine, Seed: seed}, k))
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		if engine == ism.AlgorithmExact {
			exact = done
		}
		addOutcomes(t, k.name, "ISM "+engine.String(), e.dim, e.figures(k.name), done, exact)
	}
	return nil
}

// addOutcomes adds the means over folds. exact has the outcomes of the exact engine.
func addOutcomes(t *report.Table, kernel, method string, dim int, paper published, done, exact []outcome) {
	var accuracy, value, reached, seconds, iterations []float64
	settled := 0
	for i, r := range done {
		accuracy, seconds = append(accuracy, r.accuracy), append(seconds, r.seconds)
		value, reached = append(value, r.value), append(reached, r.value/exact[i].value)
		iterations = append(iterations, float64(r.iterations))
		if r.settled {
			settled++
		}
	}
	mean := func(v []float64) float64 { return stat.Mean(v, nil) }
	ratio := "–"
	if v := mean(reached); !math.IsNaN(v) {
		ratio = fmt.Sprintf("%.5f", v)
	}
	t.Add(kernel, method, dim, len(done), fmt.Sprintf("%.4f", mean(accuracy)), stat.StdDev(accuracy, nil), paper.accuracy,
		mean(value), ratio, mean(seconds), paper.seconds, mean(iterations), fmt.Sprintf("%d of %d", settled, len(done)))
}
