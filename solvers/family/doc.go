// Package family has what the authors of a family of solvers use beside the contract, package model: the frame of a Fit
// ([Leave], [Resolve], [ForModel]), and classifiers ([Decisions], [Largest]). Users of models do not need it.
package family
