package paper4

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/stream"
)

// functions has f_s and f_t of each class, as in askls.Model.Decide: out of fold on training samples, and on test
// samples. An LS-SVM has f_s = f_t.
type functions struct{ heldOut, fresh blas64.General }

// ofFit evaluates the functions of AsK-LS.
func ofFit(ctx context.Context, fit *askls.Fit, test stream.Source) (functions, error) {
	f := functions{heldOut: fit.HeldOut, fresh: blas64.General{Cols: 2 * fit.Classes, Stride: 2 * fit.Classes}}
	err := fit.Evaluate(ctx, stream.Engine{}, test, false, func(_ *stream.Block, both blas64.General) error {
		for i := range both.Rows {
			f.fresh.Data = append(f.fresh.Data, lab.Row(both, i)...)
		}
		f.fresh.Rows += both.Rows
		return nil
	})
	return f, err
}

// merges are the two ways to merge f_s and f_t.
var merges = []askls.Merge{askls.MergeAverage, askls.MergeStack}

// score compares the merged functions of some samples with their true classes. A stack learns from the out-of-fold
// functions and the labels of the training samples.
func (f functions) score(of blas64.General, merge askls.Merge, labels, truth []int) (s scores.F1, err error) {
	m := askls.Model{Classes: of.Cols / 2, Merge: merge}
	if merge == askls.MergeStack {
		if m.Stack, err = askls.NewStack(f.heldOut, labels); err != nil {
			return s, err
		}
	}
	decisions, predicted := stream.NewMatrix(of.Rows, m.Classes), make([]int, of.Rows)
	m.Decide(decisions, of)
	family.Largest(predicted, decisions)
	return scores.NewF1(truth, predicted)
}

// result has the scores of a machine over the splits, one list for each of merges.
type result [2][]scores.F1

// add adds the scores of a split. f has the functions to average, and those to stack.
func (r *result) add(f [2]functions, labels, truth []int) error {
	for i, merge := range merges {
		score, err := f[i].score(f[i].fresh, merge, labels, truth)
		if err != nil {
			return err
		}
		r[i] = append(r[i], score)
	}
	return nil
}

// spread returns the mean, and the standard deviation of two values or more.
func spread(v []float64) string {
	if len(v) == 1 {
		return fmt.Sprintf("%.3f", v[0])
	}
	mean, deviation := stat.MeanStdDev(v, nil)
	return fmt.Sprintf("%.3f ± %.3f", mean, deviation)
}
