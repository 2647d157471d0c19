// Package family serves authors of a family of solvers, beside the contract in package model. It has the frame of a Fit
// ([RunFit], [Resolve], [ForModel]) and of classifiers ([Decisions], [Largest]). Users of models do not need it.
package family
