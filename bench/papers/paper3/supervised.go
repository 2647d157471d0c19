package paper3

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// fold is one division of a data set, each column of mean 0 and deviation 1 on the
// training rows, or as it is.
type fold struct {
	train, test             blas64.General
	trainLabels, testLabels []int
	classes                 int
}

// repeatedFolds returns those of several divisions, one after the other.
func repeatedFolds(ctx context.Context, d *datasets.Labelled, o *options) (all []*fold, err error) {
	for r := range o.repeats {
		some, err := folds(ctx, d, o.folds, o.scale, o.seed+uint64(r))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// folds divides a data set into stratified folds.
func folds(ctx context.Context, d *datasets.Labelled, k int, scale stream.Scaling, seed uint64) ([]*fold, error) {
	splits, err := split.StratifiedKFold(d.Labels, k, seed)
	if err != nil {
		return nil, err
	}
	var all []*fold
	for _, s := range splits {
		f := &fold{trainLabels: picked(d.Labels, s.Train), testLabels: picked(d.Labels, s.Test), classes: d.Classes}
		raw, err := rowsOf(ctx, d.X, s.Train)
		if err != nil {
			return nil, err
		}
		prepared, err := stream.Prepare(ctx, stream.Engine{}, stream.FromMatrix("training rows", raw), stream.NullsError, scale)
		if err != nil {
			return nil, err
		}
		if f.train, err = stream.ReadAll(ctx, prepared); err != nil {
			return nil, err
		}
		if raw, err = rowsOf(ctx, d.X, s.Test); err != nil {
			return nil, err
		}
		tested, err := prepared.Apply(ctx, stream.Engine{}, stream.FromMatrix("test rows", raw))
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

// outcome is what a method reaches on one fold.
type outcome struct {
	seconds    float64 // of finding W
	value      float64 // J(W)
	accuracy   float64 // on the test rows
	iterations int
	settled    bool
}

// subspace finds W on training rows.
type subspace func(ctx context.Context, x blas64.General, labels []int, classes, dim int) (w blas64.General, o outcome, err error)

// score finds W on the training rows of a fold, trains a classifier on their XW, and
// tests it.
func (f *fold) score(ctx context.Context, find subspace, dim int, seed uint64) (outcome, error) {
	began := time.Now()
	w, o, err := find(ctx, f.train, f.trainLabels, f.classes, dim)
	if err != nil {
		return o, err
	}
	o.seconds = time.Since(began).Seconds()
	z := projected(f.train, w)
	setting, err := chooseSVM(ctx, z, f.trainLabels, f.classes, seed)
	if err != nil {
		return o, err
	}
	m, err := fitSVM(z, f.trainLabels, f.classes, setting)
	if err != nil {
		return o, err
	}
	o.accuracy, err = metrics.Accuracy(f.testLabels, m.predict(projected(f.test, w)))
	return o, err
}

// ismSubspace finds W with package ism.
func ismSubspace(k kernelChoice, engine ism.Engine, seed uint64, resolved *kernelgen.Kernel) subspace {
	return func(ctx context.Context, x blas64.General, labels []int, classes, dim int) (w blas64.General, o outcome, err error) {
		known, err := ism.Classes(labels, classes)
		if err != nil {
			return w, o, err
		}
		s := ism.Solver{Dim: dim, Engine: engine, Weights: k.weights, Seed: seed}
		fit, err := s.Fit(ctx, stream.Engine{}, &ism.Data{Rows: stream.FromMatrix("training rows", x), Known: known}, k.parsed())
		if err != nil {
			return w, o, err
		}
		*resolved = fit.Kernel
		return fit.W, outcome{value: fit.Objective, iterations: fit.Iterations, settled: !fit.Unsettled}, nil
	}
}

// allColumns returns no reduction at all, W = I: what the classifier makes of all columns.
func allColumns(_ context.Context, x blas64.General, _ []int, _, _ int) (w blas64.General, o outcome, err error) {
	w = stream.NewMatrix(x.Cols, x.Cols)
	for i := range w.Rows {
		w.Data[i*w.Stride+i] = 1
	}
	return w, outcome{value: math.NaN(), settled: true}, nil
}

// unreduced adds a row for the classifier on all columns.
func (o *options) unreduced(ctx context.Context, t *report.Table, p problem, d *datasets.Labelled) error {
	all, err := repeatedFolds(ctx, d, o)
	if err != nil {
		return err
	}
	var done []outcome
	for _, f := range all {
		r, err := f.score(ctx, allColumns, d.X.Cols, o.seed)
		if err != nil {
			return err
		}
		done = append(done, r)
	}
	p.dim = d.X.Cols
	addOutcomes(t, "–", "all columns", p, unknown, done, done)
	return nil
}

// baselineSubspace finds W with a slow method and the kernel of another fit.
func baselineSubspace(name string, kernel kernelgen.Kernel, seed uint64) subspace {
	return func(ctx context.Context, x blas64.General, labels []int, classes, dim int) (w blas64.General, o outcome, err error) {
		t, ok := denseTerm(kernel)
		if !ok {
			return w, o, fmt.Errorf("%s has no dense form here", kernel)
		}
		objective, err := newObjective(x, classGamma(labels, classes), t)
		if err != nil {
			return w, o, err
		}
		r, err := baselines[name](ctx, objective, dim, usualAscent, seed)
		if err != nil {
			return w, o, err
		}
		return r.w, outcome{value: r.value, iterations: r.rounds, settled: r.settled}, nil
	}
}

func supervisedTable(p problem, d *datasets.Labelled, o *options) *report.Table {
	return &report.Table{File: "supervised-" + p.name, Title: fmt.Sprintf("Tables 4 and 5, supervised: %s", p.name),
		Head: []string{"kernel", "method", "q", "folds", "accuracy", "± over folds", "paper", "J", "J/ISM's", "seconds", "paper's", "iterations", "settled"},
		Notes: []string{fmt.Sprintf("%d rows, %d columns, %d classes; %d times %d stratified folds, of which the slow methods run the first %d. Columns: scale %s. Scaling, σ, W and classifier see the training rows only. "+
			"W, its time and J = Tr(Γ·K) are those of a fit; linear's J is of the approximate kernel, and J/ISM's is over that of ISM exact on the same folds. The classifier is an LS-SVM with a Gaussian kernel on XW, one class against the rest, on the whole kernel matrix; "+
			"its width from %v median distances and γ from %v by %d folds within at most %d of the training rows. Paper: SVM; its face has 960 columns, here 20 that they were reduced to, and q = 19. "+
			"SM is gradient ascent on the Stiefel manifold (QR retraction, Armijo steps), GM conjugate gradients along geodesics of the Grassmann manifold, DG dimension growth, column by column; all stop at ‖grad‖ ≤ %g·‖∇J‖, or %d steps a run.",
			d.X.Rows, d.X.Cols, d.Classes, o.repeats, o.folds, o.baselineFolds, o.scaleWord, svmWidths, svmGammas, svmFolds, svmSample, usualAscent.gradient, usualAscent.rounds)}}
}

// supervised adds the rows of one kernel to the table of a data set.
func (o *options) supervised(ctx context.Context, t *report.Table, p problem, d *datasets.Labelled, k kernelChoice) error {
	all, err := repeatedFolds(ctx, d, o)
	if err != nil {
		return err
	}
	paper := p.figures(k.name)
	kernel := make([]kernelgen.Kernel, len(all)) // of the exact fits, with numbers
	var exact []outcome
	for _, engine := range []ism.Engine{ism.EngineExact, ism.EngineLinear} {
		var done []outcome
		for i, f := range all {
			r, err := f.score(ctx, ismSubspace(k, engine, o.seed, &kernel[i]), p.dim, o.seed)
			if err != nil {
				return fmt.Errorf("%s, fold %d: %w", engine, i, err)
			}
			done = append(done, r)
		}
		if engine == ism.EngineExact {
			exact = done
		}
		addOutcomes(t, k.name, "ISM "+engine.String(), p, paper, done, exact)
	}
	if _, dense := denseTerm(kernel[0]); !dense || k.supervisedOnly || o.baselineFolds == 0 || all[0].train.Rows > mostDense {
		return nil
	}
	for _, name := range slowMethods {
		var done []outcome
		for i, f := range all[:o.baselineFolds] {
			r, err := f.score(ctx, baselineSubspace(name, kernel[i], o.seed), p.dim, o.seed)
			if err != nil {
				return fmt.Errorf("%s, fold %d: %w", name, i, err)
			}
			done = append(done, r)
		}
		addOutcomes(t, k.name, name, p, unknown, done, exact)
	}
	return nil
}

// addOutcomes adds the means over folds; exact are the outcomes of ISM exact.
func addOutcomes(t *report.Table, kernel, method string, p problem, paper published, done, exact []outcome) {
	var mean outcome
	n, settled := float64(len(done)), 0
	for _, r := range done {
		mean.accuracy += r.accuracy / n
		mean.value += r.value / n
		mean.seconds += r.seconds / n
		mean.iterations += r.iterations
		if r.settled {
			settled++
		}
	}
	spread, reached := 0.0, 0.0
	for i, r := range done {
		reached += r.value / exact[i].value / n
	}
	for _, r := range done {
		spread += (r.accuracy - mean.accuracy) * (r.accuracy - mean.accuracy) / max(1, n-1)
	}
	t.Add(kernel, method, p.dim, len(done), fmt.Sprintf("%.4f", mean.accuracy), math.Sqrt(spread), paper.accuracy, mean.value, ratio(reached), mean.seconds, paper.seconds,
		float64(mean.iterations)/n, fmt.Sprintf("%d of %d", settled, len(done)))
	fmt.Fprintf(os.Stderr, "%s: %s: %s: accuracy %.4f, %.3g s\n", p.name, kernel, method, mean.accuracy, mean.seconds)
}

// ratio shows a ratio that is near 1.
func ratio(v float64) string {
	if math.IsNaN(v) {
		return report.Figure(v)
	}
	return fmt.Sprintf("%.5f", v)
}

// projected returns X·W.
func projected(x, w blas64.General) blas64.General {
	z := stream.NewMatrix(x.Rows, w.Cols)
	(&ism.Model{W: w}).Project(z, x)
	return z
}
