// Package ridge is Nyström kernel ridge regression (Rudi, Camoriano & Rosasco 2015, "Less is more:
// Nyström computational regularization"): regression and classification from one pass over the rows,
// after the landmark rows are fetched, for positive semi-definite kernels. With ℓ landmarks J and features
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
// matrix. A search tries three to five penalties with each kernel and two or three more with the best kernel. A
// reduction to tridiagonal form, after which a penalty costs nothing, takes the time of ten factorisations.
//
// Above 2,000 rows the kernels race first: all are cross-validated with a quarter of the landmarks, 250 at least, on
// the rows that are drawn for scores. The best and the next one, if its errors are within two standard errors of
// those of the best, are fitted with all landmarks. A race needs at least twice as many landmarks as it has.
//
// Penalties below 1e-8 of the largest eigenvalue of the Gram matrix are not offered: rounding of the
// Gram matrix would show in the predictions.
//
// # What is known of the rows
//
// Targets, labels, weights and groups are kept columns of the source. A pass reads them with the rows, so
// that memory does not grow with the rows. A row of weight 0 is absent, and a row of weight k counts as k copies: in
// fits, errors, folds and scores, and in the draw of landmarks. Standard errors, and the last step of interval
// quantiles, count rows instead: copies are not independent observations.
//
// Targets are standardised by a sample, and kernel entries are centred by the landmarks, before they are summed.
// Neither a constant added to the targets nor their unit changes a choice.
//
// # Folds
//
// A hash assigns each group of rows to a fold. Up to 50 groups, or 10 for each fold, are assigned by weight instead: no
// fold is empty, and folds have nearly equal weights.
//
// # Classes
//
// Classes are regressed on codes, 1 for the class of a row and −1 for the others. The largest decision
// value wins. Among the kernels and penalties whose out-of-fold share misclassified is within a standard error of the
// smallest, the fit takes the one with the smallest squared error of the codes, which has less variance. The share is
// counted on a sample of [Solver.ScoreRows] rows.
//
// # Promised errors
//
// The smallest error among many kernels and penalties is an optimistic estimate. Up to 2,000 rows a bootstrap over
// out-of-fold losses removes the optimism from [Fit.RMSE], [Fit.R2] and the accuracy in [Scores], but not from the
// other scores. Standard errors assume independent rows, or independent groups. They do not include the bias of smaller
// training sets in folds, which overstates errors while these still fall with the rows.
//
// # How sure a model is
//
// The rows of the sample are predicted by the models without their folds. These predictions give
// [Scores] and a temperature of classes, for probabilities, and [Intervals] of targets. [Posterior] is
// the standard deviation of a Gaussian process instead: its width does not come from errors.
package ridge
