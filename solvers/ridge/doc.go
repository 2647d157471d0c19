// Package ridge implements Nyström kernel ridge regression (Rudi, Camoriano & Rosasco 2015, "Less is more: Nyström
// computational regularization"): it fits regressions and classifiers, with positive semi-definite kernels, in one pass
// over the rows after fetching the landmarks. With ℓ landmarks J and features
//
//	z(x) = k(x, J)·U⁻¹            UᵀU = K(J, J)
//
// it minimises over coefficients B and intercepts b
//
//	Σ wᵢ·‖yᵢ − zᵢB − b‖² + λ·‖B‖²
//
// With all rows as landmarks, this is kernel ridge regression with an intercept.
//
// # One pass, all kernels, penalties and folds
//
// The pass sums the Gram matrix of [z | 1 | y]·√w for each kernel and fold of the rows. The total minus the matrix of a
// fold trains without that fold. Each penalty λ is thus cross-validated after the pass, by one Cholesky factorisation
// for each kernel and fold. Squared errors of a fold come from its own Gram matrix. A search tries three to five
// penalties with each kernel, and two or three more with the best kernel. (After a reduction to tridiagonal form
// penalties would be nearly free, but that reduction takes the time of ten factorisations.)
//
// Above 2,000 rows the kernels race first: all are cross-validated with a quarter of the landmarks, at least 250, on
// the scoring sample. The best one is fitted with all landmarks; so is the second if its errors are within two standard
// errors. There is no race unless the fit has at least twice its landmarks.
//
// The search does not go below 1e-8 of the largest eigenvalue of the Gram matrix, where rounding errors of the matrix
// would affect predictions.
//
// # Targets, labels, weights and groups
//
// These are kept columns of the source. A pass reads them with the rows, so memory does not grow with the number of
// rows. A row of weight 0 is ignored, and a row of weight k counts as k copies: in fits, errors, folds and scores, and
// in the draw of landmarks. Standard errors, and the last step of interval quantiles, count rows instead: copies are
// not independent observations.
//
// Targets are standardised by a sample, and kernel entries are centred by the landmarks, before they are summed. No
// choice depends on the unit of the targets or on an added constant.
//
// # Folds
//
// A hash assigns each group of rows to a fold. Up to 50 groups, or 10 for each fold, are assigned by weight instead, so
// that no fold is empty and folds have nearly equal weights.
//
// # Classes
//
// Classes are regressed on codes, 1 for the class of a row and −1 for the others. The class with the largest decision
// value is predicted. The fit first keeps the kernels and penalties with out-of-fold misclassification rates within a
// standard error of the smallest. Of these it takes the one with the smallest squared error of the codes, which has
// less variance. The rate is measured on a sample of [Solver.ScoreRows] rows.
//
// # Reported errors
//
// The smallest error among many kernels and penalties is an optimistic estimate. Up to 2,000 rows, a bootstrap over
// out-of-fold losses removes this optimism from [Fit.RMSE], [Fit.R2] and the accuracy in [Scores], but not from the
// other scores. Standard errors assume independent rows, or independent groups. They do not include the bias from
// smaller training sets in folds, which overstates errors as long as these decrease with more rows.
//
// # Uncertainty of predictions
//
// Out-of-fold predictions of the scoring sample give [Scores] and [Intervals], and the temperature of class
// probabilities. [Posterior] instead gives the standard deviation of a Gaussian process, which does not depend on
// observed errors.
package ridge
