// Package input has what families of solvers ask of their rows: how many there are, whether their numbers are finite,
// and samples of them. Errors name the row and the column of the source. Its samples depend on the seed and the
// purpose alone. Users of models do not need it.
package input
