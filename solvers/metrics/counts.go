package metrics

import (
	"errors"
	"maps"
	"slices"
)

// errNoRows reports a measurement of no rows.
var errNoRows = errors.New("there are no rows to measure")

// labelsOf returns the labels that occur on either side, ascending.
func labelsOf(cells []cell) []int {
	seen := map[int]struct{}{}
	for _, c := range cells {
		seen[c.a], seen[c.b] = struct{}{}, struct{}{}
	}
	return slices.Sorted(maps.Keys(seen))
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
