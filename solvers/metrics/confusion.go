package metrics

import "fmt"

// Confusion is a confusion matrix: Counts[i][j] is the number of rows of class
// Classes[i] that were predicted to be of class Classes[j].
type Confusion struct {
	Classes []int // the labels that occur in truth or prediction, ascending
	Counts  [][]int64
}

// maxClasses bounds the order of square matrices of classes, to 512 MiB.
const maxClasses = 1 << 13

func tooManyClasses(k int) error {
	return fmt.Errorf("%d different labels, more than the %d of which a square table is made: are these labels?", k, maxClasses)
}
