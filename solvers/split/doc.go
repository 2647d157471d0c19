// Package split divides the rows of a data set into training and test rows: k folds and repeated random splits, each
// also stratified by class. A split depends on the arguments and the seed alone.
package split

// Split is one division of the rows 0..n−1. Each row is in exactly one of the two lists. Both ascend, as stream.Gather
// requires.
type Split struct {
	Train, Test []int64
}
