package paper4

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// functions are f_s and f_t of each class, as askls.Model.Decide takes them, of training
// samples that were left out and of test samples. An LS-SVM has f_s = f_t.
type functions struct{ heldOut, fresh blas64.General }

// ofFit evaluates the functions of AsK-LS.
func ofFit(ctx context.Context, fit *askls.Fit, test askls.Rows) (functions, error) {
	f := functions{heldOut: fit.HeldOut, fresh: blas64.General{Cols: 2 * fit.Classes, Stride: 2 * fit.Classes}}
	err := fit.Evaluate(ctx, stream.Engine{}, test, false, func(_ *stream.Block, both blas64.General) error {
		for i := range both.Rows {
			f.fresh.Data = append(f.fresh.Data, dense.Row(both, i)...)
		}
		f.fresh.Rows += both.Rows
		return nil
	})
	return f, err
}

// classes returns those that functions decide for, averaged or by a stack.
func classes(both blas64.General, stack blas64.General) []int {
	m := askls.Model{Classes: both.Cols / 2, Merge: askls.MergeAverage}
	if stack.Rows > 0 {
		m.Merge, m.Stack = askls.MergeStack, stack
	}
	decisions, out := stream.NewMatrix(both.Rows, m.Classes), make([]int, both.Rows)
	m.Decide(decisions, both)
	m.Choose(out, decisions)
	return out
}

// scores are the F1 of splits; the micro F1 is the accuracy.
type scores struct{ micro, macro []float64 }

// add adds the scores of what was predicted.
func (s *scores) add(truth, predicted []int) error {
	micro, err := metrics.Accuracy(truth, predicted)
	if err != nil {
		return err
	}
	macro, err := metrics.MacroF1(truth, predicted)
	if err != nil {
		return err
	}
	s.micro, s.macro = append(s.micro, micro), append(s.macro, macro)
	return nil
}

// results are the scores of each machine, as it is and stacked. Functions are stacked alike
// for all of them.
type results map[symmetry]*[2]scores

// add adds the scores of a split: f are the functions to average, and those to stack.
func (r results) add(s symmetry, f [2]functions, labels, truth []int) error {
	stack, err := askls.NewStack(f[1].heldOut, labels, 0)
	if err != nil {
		return err
	}
	if r[s] == nil {
		r[s] = &[2]scores{}
	}
	if err := r[s][0].add(truth, classes(f[0].fresh, blas64.General{})); err != nil {
		return err
	}
	return r[s][1].add(truth, classes(f[1].fresh, stack))
}

// machines are those of a row, in the order of its columns.
var machines = []symmetry{asymmetric, meanKernel, sourceGram, targetGram}

// machineHead returns the heads of the columns of cells.
func machineHead() []string {
	var head []string
	for _, s := range machines {
		plain := "plain"
		if s == asymmetric {
			plain = "average = sum"
		}
		head = append(head, fmt.Sprintf("%v, %s", s, plain), fmt.Sprintf("%v, stacked", s))
	}
	return head
}

// cells returns a figure of every machine.
func (r results) cells(figure func(scores) []float64) []any {
	var cells []any
	for _, s := range machines {
		for merge := range 2 {
			var values []float64
			if r[s] != nil {
				values = figure(r[s][merge])
			}
			cells = append(cells, spread(values))
		}
	}
	return cells
}

func micro(s scores) []float64 { return s.micro }
func macro(s scores) []float64 { return s.macro }

// spread returns the mean and the standard deviation as text, the latter of two values or more.
func spread(v []float64) string {
	switch mean, sd := meanOf(v); len(v) {
	case 0:
		return "–"
	case 1:
		return fmt.Sprintf("%.3f", mean)
	default:
		return fmt.Sprintf("%.3f ± %.3f", mean, sd)
	}
}

// meanOf returns the mean and the standard deviation.
func meanOf(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / math.Max(1, float64(len(v)-1)))
}

// pick returns the labels of some rows.
func pick(labels []int, rows []int64) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = labels[r]
	}
	return out
}
