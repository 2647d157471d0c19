// Package input checks and samples the rows of a fit: known numbers of rows, finite entries, random samples. Errors
// name the row and the column of the source. Samples depend on the seed and the purpose alone. Users of models do not
// need it.
package input
