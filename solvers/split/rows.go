package split

import (
	"fmt"

	"github.com/nystream/nystream/sketch"
)

// oneClass returns all rows as one class, in ascending order.
func oneClass(n int) [][]int64 {
	if n < 0 {
		panic(fmt.Sprintf("split: %d rows", n))
	}
	return classRows(make([]int, n))
}

// classRows returns the rows of each class, ascending. Classes are in the order of their first rows, so their numbering
// does not matter.
func classRows(labels []int) [][]int64 {
	place := map[int]int{}
	var classes [][]int64
	for i, l := range labels {
		c, seen := place[l]
		if !seen {
			c, place[l] = len(classes), len(classes)
			classes = append(classes, nil)
		}
		classes[c] = append(classes[c], int64(i))
	}
	return classes
}

// total returns the number of rows of all classes.
func total(classes [][]int64) int {
	n := 0
	for _, rows := range classes {
		n += len(rows)
	}
	return n
}

// shuffled returns the rows in random order.
func shuffled(rows []int64, random sketch.Random) []int64 {
	order := random.Choose(int64(len(rows)), len(rows))
	for i, place := range order {
		order[i] = rows[place]
	}
	return order
}

// divide returns the split with the test rows selected by test.
func divide(n int, test func(i int) bool) Split {
	var s Split
	for i := range n {
		if test(i) {
			s.Test = append(s.Test, int64(i))
		} else {
			s.Train = append(s.Train, int64(i))
		}
	}
	return s
}
