// Package scores has the scores of the papers' tables that solvers/metrics lacks: AUROC, RMSE, and the reconstruction
// of graphs.
package scores

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/solvers/metrics"
)

// F1 has the F1 scores of a prediction. Micro is the accuracy, as each row has one class.
type F1 struct{ Micro, Macro float64 }

// NewF1 compares predicted classes with true ones.
func NewF1(truth, predicted []int) (f F1, err error) {
	if f.Micro, err = metrics.Accuracy(truth, predicted); err != nil {
		return f, err
	}
	f.Macro, err = metrics.MacroF1(truth, predicted)
	return f, err
}

// Micro returns the micro F1 of each score, and Macro the macro F1.
func Micro(all []F1) []float64 { return figures(all, func(f F1) float64 { return f.Micro }) }

// Macro returns the macro F1 of each score.
func Macro(all []F1) []float64 { return figures(all, func(f F1) float64 { return f.Macro }) }

func figures(all []F1, of func(F1) float64) []float64 {
	var out []float64
	for _, f := range all {
		out = append(out, of(f))
	}
	return out
}

// Picked returns the values with the given indices.
func Picked[T any](all []T, rows []int64) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = all[r]
	}
	return out
}

// AUROC returns the area under the receiver operating characteristic: the fraction of pairs of a positive and a
// negative row in which the positive one has the larger score. Ties count half. It fails for NaN or a single class.
func AUROC(positive []bool, scores []float64) (float64, error) {
	if floats.HasNaN(scores) {
		return 0, errors.New("scores: AUROC of a score that is NaN")
	}
	if !slices.Contains(positive, true) || !slices.Contains(positive, false) {
		return 0, fmt.Errorf("scores: AUROC of %d rows needs rows of both classes", len(scores))
	}
	y, classes := slices.Clone(scores), slices.Clone(positive)
	stat.SortWeightedLabeled(y, classes, nil)
	tpr, fpr, _ := stat.ROC(nil, y, classes, nil)
	return integrate.Trapezoidal(fpr, tpr), nil
}

// RMSE returns the root mean squared error. It fails if that is not finite.
func RMSE(truth, predicted []float64) (float64, error) {
	rmse := floats.Distance(truth, predicted, 2) / math.Sqrt(float64(len(truth)))
	if rmse-rmse != 0 {
		return 0, fmt.Errorf("scores: RMSE of %d rows is %v", len(truth), rmse)
	}
	return rmse, nil
}
