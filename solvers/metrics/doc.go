// Package metrics holds the figures that the papers' tables report, each with
// its definition: classification (accuracy, F1, AUROC), regression (RMSE),
// clustering (NMI, accuracy under the best matching) and graph reconstruction.
//
// Labels are any integers; those that are equal name the same class. A class
// that has no row, in truth or prediction, is unknown to these functions and
// takes part in no mean. All figures are functions of pairs of labels, so the
// order of the rows does not matter but for rounding.
//
// Slices of different lengths are a mistake of the caller and panic. No rows,
// NaN, and figures that are not defined are errors.
package metrics
