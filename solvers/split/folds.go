package split

import (
	"fmt"

	"github.com/nystream/nystream/sketch"
)

// KFold divides n rows into k folds by chance; split number f tests on fold f and
// trains on the others. Sizes of folds differ by one at most. It is an error
// unless 2 ≤ k ≤ n.
func KFold(n, k int, seed uint64) ([]Split, error) {
	return folds(oneClass(n), k, seed)
}

// StratifiedKFold returns [KFold] for rows with class labels, in which every class is
// spread over the folds: the numbers of rows of a class in two folds differ by
// one at most, and so do the sizes of the folds. A class with fewer than k rows
// is absent from some folds, and a class with one row is missing in the training
// rows of one split.
func StratifiedKFold(labels []int, k int, seed uint64) ([]Split, error) {
	return folds(classRows(labels), k, seed)
}

// folds deals the rows of one class after the other, shuffled, to the folds in
// turn.
func folds(classes [][]int64, k int, seed uint64) ([]Split, error) {
	n := total(classes)
	if k < 2 || k > n {
		return nil, fmt.Errorf("%d folds of %d rows: there must be at least 2, and a row for each", k, n)
	}
	fold := make([]int, n)
	dealt := 0
	for c, rows := range classes {
		for _, i := range shuffled(rows, sketch.NewRandom(seed, fmt.Sprintf("folds of class %d", c))) {
			fold[i] = dealt % k
			dealt++
		}
	}
	splits := make([]Split, k)
	for f := range splits {
		splits[f] = divide(n, func(i int) bool { return fold[i] == f })
	}
	return splits, nil
}
