package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// errNoRows reports that there is nothing to measure.
var errNoRows = errors.New("metrics: there are no rows to measure")

// checkLengths panics unless both labellings have the same rows, and refuses
// empty ones.
func checkLengths(truth, predicted int) error {
	if truth != predicted {
		panic(fmt.Sprintf("metrics: %d rows against %d", truth, predicted))
	}
	if truth == 0 {
		return errNoRows
	}
	return nil
}

// distinct returns the labels that occur in any of the labellings, ascending.
func distinct(labellings ...[]int) []int {
	seen := map[int]struct{}{}
	for _, labels := range labellings {
		for _, l := range labels {
			seen[l] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// cell is a pair of labels and the number of rows that have it.
type cell struct {
	a, b int
	rows int64
}

// crossCount counts the pairs of labels that occur, in ascending order, so that
// sums over them always have the same bits. Cost O(n) time, and O(m·log m) for
// m pairs.
func crossCount(a, b []int) []cell {
	count := map[[2]int]int64{}
	for i := range a {
		count[[2]int{a[i], b[i]}]++
	}
	cells := make([]cell, 0, len(count))
	for pair, rows := range count {
		cells = append(cells, cell{pair[0], pair[1], rows})
	}
	slices.SortFunc(cells, func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return cells
}

// margins returns the numbers of rows of each label on either side.
func margins(cells []cell) (a, b map[int]int64) {
	a, b = map[int]int64{}, map[int]int64{}
	for _, c := range cells {
		a[c.a] += c.rows
		b[c.b] += c.rows
	}
	return a, b
}
