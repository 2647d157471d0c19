package split

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/sketch"
)

// Random divides n rows into training and test rows at random, repeatedly. Of n rows, round(test·n) are test rows, 0 <
// test < 1. It fails if either part would be empty. Repeat r does not depend on the number of repeats.
func Random(n int, test float64, repeats int, seed uint64) ([]Split, error) {
	return random(oneClass(n), test, repeats, seed)
}

// StratifiedRandom is [Random] with the same fraction of test rows in each class, rounded up or down by largest
// remainders. In a tie, the class that comes first is rounded up.
func StratifiedRandom(labels []int, test float64, repeats int, seed uint64) ([]Split, error) {
	return random(classRows(labels), test, repeats, seed)
}

// random draws the test rows of each class. Each repeat and class has its own random numbers.
func random(classes [][]int64, test float64, repeats int, seed uint64) ([]Split, error) {
	n := total(classes)
	if repeats < 0 {
		panic(fmt.Sprintf("split: %d repeats", repeats))
	}
	if !(test > 0 && test < 1) {
		return nil, fmt.Errorf("the share of test rows is %v; it must be between 0 and 1", test)
	}
	tested := int(math.Round(test * float64(n)))
	if tested == 0 || tested == n {
		return nil, fmt.Errorf("a share of %v of %d rows makes %d test rows; one row at least must be in each part", test, n, tested)
	}
	quota := quotas(classes, test, tested)
	splits := make([]Split, repeats)
	for r := range splits {
		chosen := make([]bool, n)
		for c, rows := range classes {
			purpose := fmt.Sprintf("random split %d of class %d", r, c)
			for _, i := range shuffled(rows, sketch.NewRandom(seed, purpose))[:quota[c]] {
				chosen[i] = true
			}
		}
		splits[r] = divide(n, func(i int) bool { return chosen[i] })
	}
	return splits, nil
}

// quotas returns the number of test rows of each class, by largest remainders.
func quotas(classes [][]int64, test float64, tested int) []int {
	quota, order := make([]int, len(classes)), make([]int, len(classes))
	rest := make([]float64, len(classes))
	left := tested
	for c, rows := range classes {
		share := test * float64(len(rows))
		quota[c], order[c] = int(share), c
		rest[c] = share - float64(quota[c])
		left -= quota[c]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest[b], rest[a]) })
	for _, c := range order[:max(0, left)] {
		quota[c]++
	}
	return quota
}
