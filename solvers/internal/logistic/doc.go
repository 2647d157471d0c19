// Package logistic fits logistic regressions with a few features. With weights w, a bias b and rows x_i with
// probabilities p_i of the positive class, it minimises
//
//	Σ_i p_i·log(1 + exp(−t_i)) + (1 − p_i)·log(1 + exp(t_i))      t_i = wᵀx_i + b
//
// by Newton's method with a line search (iteratively reweighted least squares).
//
// The labels are smoothed: with P positive and N negative rows, p_i is (P+1)/(P+2) for a positive row and 1/(N+2) for a
// negative one (Platt 1999, "Probabilistic outputs for support vector machines"). Weights are therefore finite even for
// separable classes, without a penalty.
package logistic
