package askls

import (
	"fmt"

	"github.com/nystream/nystream/sketch"
)

// Fold is a division of the samples, by their numbers, ascending.
type Fold struct{ Train, Test []int }

// newFolds returns k folds that test on each sample once, in which every class is
// spread over the folds: the rows of a class, in random order, are dealt to the folds
// in turn, and the next class goes on where it ended.
func newFolds(labels []int, classes, k int, seed uint64) []Fold {
	of := make([][]int, classes)
	for i, l := range labels {
		of[l] = append(of[l], i)
	}
	place, dealt, drawn := make([]int, len(labels)), 0, 0
	for _, rows := range of {
		if len(rows) == 0 {
			continue
		}
		random := sketch.NewRandom(seed, fmt.Sprintf("folds of class %d", drawn))
		drawn++
		for _, i := range random.Choose(int64(len(rows)), len(rows)) {
			place[rows[i]] = dealt % k
			dealt++
		}
	}
	folds := make([]Fold, k)
	for i := range labels {
		for f := range folds {
			if place[i] == f {
				folds[f].Test = append(folds[f].Test, i)
			} else {
				folds[f].Train = append(folds[f].Train, i)
			}
		}
	}
	return folds
}
