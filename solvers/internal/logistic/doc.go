// Package logistic fits logistic regressions with a few features: with weights w, a
// bias b and rows x_i that are positive (y_i = 1) or negative (y_i = −1),
//
//	min Σ_i log(1 + exp(−y_i(wᵀx_i + b))) + λ/2·wᵀw
//
// by Newton's method with a line search (iteratively reweighted least squares). λ is
// called Penalty; scikit-learn's LogisticRegression(C) is λ = 1/C. The bias is not
// penalised.
//
// Without a penalty there is no minimum where a plane separates the two classes, and
// none for rows that are all of one class; both are errors that say so. For classes that
// are separable smoothed labels have one too: the probabilities of Platt ("Probabilistic
// outputs for support vector machines", 1999), which are what P positive rows say about
// one more if nothing was known before. They have no parameter, and the scale of the
// features does not matter to them.
package logistic
