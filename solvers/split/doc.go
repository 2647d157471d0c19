// Package split cuts the rows of a data set into training and test rows: k folds
// and repeated random splits, either of them also stratified by class. A split
// is a function of the arguments and the seed.
package split

// Split is one division of the rows 0..n−1. Both lists ascend, as
// stream.Gather wants them, and each row is in exactly one of them.
type Split struct {
	Train, Test []int64
}
