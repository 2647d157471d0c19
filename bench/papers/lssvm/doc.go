// Package lssvm fits least-squares support vector machines (Suykens and
// Vandewalle 1999, "Least squares support vector machine classifiers") to given
// features: with a weight vector w, a bias b and targets y,
//
//	min ½·wᵀw + γ/2·Σ_i e_i²     subject to  y_i = wᵀx_i + b + e_i
//
// This is the paper's primal problem for targets ±1, since the errors of
// y_i(wᵀx_i + b) = 1 − e_i have the same squares, and ridge regression with a bias
// that is not penalised for any others. γ weighs the errors: "regularisation 1"
// of papers 2 and 4 (KSVD, AsK-LS) is γ = 1, and scikit-learn's Ridge(alpha) is
// γ = 1/alpha. The penalty is on w alone, so the scale of the features matters
// and their mean does not.
//
// Classes are learnt one against the rest: a target for each class, 1 for its
// rows and −1 for the others; the largest decision wins.
package lssvm
