// Package ridge is Nyström kernel ridge regression (Rudi, Camoriano & Rosasco 2015, "Less is more:
// Nyström computational regularization"): regression and classification from one pass over the rows,
// for positive semi-definite kernels. With ℓ landmarks J and features
//
//	z(x) = k(x, J)·U⁻¹            UᵀU = K(J, J)
//
// it minimises over coefficients B and intercepts b
//
//	Σ wᵢ·‖yᵢ − zᵢB − b‖² + λ·‖B‖²
//
// With all rows as landmarks that is kernel ridge regression with an intercept.
//
// # One pass, all kernels, penalties and folds
//
// The pass sums the Gram matrix of [z | 1 | y]·√w for each kernel and fold of the rows. The sum of all
// without that of a fold trains without the fold, so that every penalty λ is cross-validated afterwards, by one
// Cholesky factorisation for each kernel, fold and penalty. Squared errors of a fold come from its own Gram
// matrix. A search tries three to five penalties with each kernel and two more with the best kernel. A reduction to
// tridiagonal form, after which a penalty costs nothing, takes the time of ten factorisations.
//
// Penalties below 1e-8 of the largest eigenvalue of the Gram matrix are not offered: rounding of the
// Gram matrix would show in the predictions.
//
// # What is known of the rows
//
// Targets, labels, weights and groups are kept columns of the source. A pass reads them with the rows, so
// that memory does not grow with the rows. A row with weight 0 is absent, and one with weight k is k copies: in fits,
// errors, folds and scores, and as a landmark. Standard errors and the last step of interval quantiles are those of
// rows, however much these weigh.
//
// Sums are of targets less their mean over the sample, in units of their spread, and of entries less their mean over
// the landmarks: neither a constant added to the targets nor their unit changes a choice.
//
// # Folds
//
// A hash puts each group of rows into a fold. Up to some 50 groups are dealt by weight instead, so that no fold is
// empty and folds weigh nearly alike.
//
// # Classes
//
// Classes are regressed on codes, 1 for the class of a row and −1 for the others. The largest decision
// value chooses. Of the kernels and penalties that misclassify the fewest rows out of fold, but for a standard error
// of the difference, the one with the least squared error of the codes is chosen: it varies less with the rows than the
// share misclassified. That is counted on a sample of up to [SampleRows] rows.
//
// # Promised errors
//
// The least error among many kernels and penalties is an optimistic estimate. Up to 2,000 rows a bootstrap over
// out-of-fold losses removes the optimism from [Fit.RMSE], [Fit.R2] and the accuracy in [Scores], but not from
// their other figures. Standard errors are those of independent rows, or of independent groups. They do not cover the
// smaller training sets of folds, which make the errors of steep functions too large.
//
// # How sure a model is
//
// The rows of the sample are predicted by the models without their folds. These predictions give
// [Scores] and a temperature of classes, for probabilities, and [Intervals] of targets. [Posterior] is
// the standard deviation of a Gaussian process instead: its width does not come from errors.
package ridge
