package split

import (
	"fmt"

	"github.com/nystream/nystream/sketch"
)

// KFold divides n rows into k random folds; split f tests on fold f and trains on the others. Sizes of folds differ by
// at most one. It fails unless 2 ≤ k ≤ n.
func KFold(n, k int, seed uint64) ([]Split, error) {
	return folds(oneClass(n), k, seed)
}

// StratifiedKFold is [KFold] with every class spread evenly: the counts of a class in two folds differ by at most one,
// and so do the sizes of the folds. A class with fewer than k rows is absent from some folds. A class with one row is
// missing from the training rows of one split.
func StratifiedKFold(labels []int, k int, seed uint64) ([]Split, error) {
	return folds(classRows(labels), k, seed)
}

// folds deals shuffled rows to the folds in turn, class after class.
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
