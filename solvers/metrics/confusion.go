package metrics

import (
	"fmt"
	"slices"
)

// Confusion is a confusion matrix: Counts[i][j] is the number of rows of class
// Classes[i] that were predicted to be of class Classes[j].
type Confusion struct {
	Classes []int // the labels that occur in truth or prediction, ascending
	Counts  [][]int64
}

// maxClasses bounds what is formed as a square matrix of classes: 512 MiB.
const maxClasses = 1 << 13

// NewConfusion counts the pairs of true and predicted labels. It takes 8·k²
// bytes for k classes and is refused for more than 8192 of them.
func NewConfusion(truth, predicted []int) (*Confusion, error) {
	if err := checkLengths(len(truth), len(predicted)); err != nil {
		return nil, err
	}
	c := &Confusion{Classes: distinct(truth, predicted)}
	k := len(c.Classes)
	if k > maxClasses {
		return nil, tooManyClasses(k)
	}
	c.Counts = make([][]int64, k)
	for i := range c.Counts {
		c.Counts[i] = make([]int64, k)
	}
	for _, cell := range crossCount(truth, predicted) {
		i, _ := slices.BinarySearch(c.Classes, cell.a)
		j, _ := slices.BinarySearch(c.Classes, cell.b)
		c.Counts[i][j] = cell.rows
	}
	return c, nil
}

func tooManyClasses(k int) error {
	return fmt.Errorf("metrics: %d different labels, more than the %d of which a square table is made: are these labels?", k, maxClasses)
}
