// Package metrics holds figures of labels and of predicted numbers, each with its definition: of classes
// (accuracy, F1, the confusion matrix), of clusters (NMI) and of regressions (RMSE, R²).
//
// Labels are any integers; those that are equal name the same class. A class
// that has no row, in truth or prediction, is unknown to these functions and
// takes part in no mean. All figures are functions of pairs of labels, so the
// order of the rows does not matter but for rounding.
//
// Slices of different lengths are a mistake of the caller and panic. No rows,
// NaN, and figures that are not defined are errors.
package metrics
