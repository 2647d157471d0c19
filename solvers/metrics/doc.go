// Package metrics measures predictions: of classes (accuracy, F1, the confusion matrix), of clusters (NMI) and of
// numbers (RMSE, R²).
//
// Labels are any integers; equal ones name the same class. A class without rows, in truth or prediction, does not exist
// for these functions and enters no mean. Results do not depend on the order of the rows, up to rounding.
//
// Slices of different lengths are a programming error and panic. Empty input, NaN and undefined results are errors.
package metrics
