package metrics

import (
	"cmp"
	"fmt"
	"slices"
)

// Tally counts pairs of true and predicted labels. It takes memory for each distinct pair, whatever the number of rows.
// The zero value is empty and ready to use.
type Tally struct{ count map[[2]int]int64 }

// NewTally returns the counts of two labellings of the same rows.
func NewTally(truth, predicted []int) *Tally {
	t := &Tally{}
	t.Add(truth, predicted)
	return t
}

// Add counts one row for each element of truth and predicted.
func (t *Tally) Add(truth, predicted []int) {
	if len(truth) != len(predicted) {
		panic(fmt.Sprintf("metrics: %d rows against %d", len(truth), len(predicted)))
	}
	if t.count == nil {
		t.count = make(map[[2]int]int64)
	}
	for i, label := range truth {
		t.count[[2]int{label, predicted[i]}]++
	}
}

// Rows returns the number of rows counted.
func (t *Tally) Rows() (n int64) {
	for _, rows := range t.count {
		n += rows
	}
	return n
}

// cell is a pair of labels and its number of rows.
type cell struct {
	a, b int
	rows int64
}

// cells returns the distinct pairs in ascending order, so that sums over them always have the same bits. It fails if
// there are none. Cost: O(m·log m) for m pairs.
func (t *Tally) cells() ([]cell, error) {
	if len(t.count) == 0 {
		return nil, errNoRows
	}
	cells := make([]cell, 0, len(t.count))
	for pair, rows := range t.count {
		cells = append(cells, cell{pair[0], pair[1], rows})
	}
	slices.SortFunc(cells, func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return cells, nil
}

// Accuracy returns the fraction of rows predicted correctly, in [0, 1]. With one label a row it equals the
// micro-averaged F1 (scikit-learn: f1_score(average="micro")).
func (t *Tally) Accuracy() (float64, error) {
	cells, err := t.cells()
	if err != nil {
		return 0, err
	}
	right, rows := int64(0), int64(0)
	for _, c := range cells {
		rows += c.rows
		if c.a == c.b {
			right += c.rows
		}
	}
	return float64(right) / float64(rows), nil
}

// MacroF1 returns the unweighted mean over classes of F1 = 2·TP/(2·TP + FP + FN), in [0, 1]. The mean is over the
// classes that occur in truth or prediction; a class that occurs in only one of them has F1 = 0 (scikit-learn:
// f1_score(average="macro", zero_division=0)).
func (t *Tally) MacroF1() (float64, error) {
	f1, err := t.ClassF1()
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, f := range f1 {
		sum += f.F1
	}
	return sum / float64(len(f1)), nil
}

// ClassScore is the F1 of one class.
type ClassScore struct {
	Class int
	F1    float64
}

// ClassF1 returns F1 = 2·TP/(2·TP + FP + FN) of each class that occurs in truth or
// prediction, in ascending order of the classes.
func (t *Tally) ClassF1() ([]ClassScore, error) {
	cells, err := t.cells()
	if err != nil {
		return nil, err
	}
	inTruth, inPrediction := margins(cells)
	var scores []ClassScore
	for _, class := range labelsOf(cells) {
		right := int64(0)
		if i, found := slices.BinarySearchFunc(cells, class, onDiagonal); found {
			right = cells[i].rows
		}
		either := inTruth[class] + inPrediction[class] // 2·TP + FP + FN, at least 1
		scores = append(scores, ClassScore{class, 2 * float64(right) / float64(either)})
	}
	return scores, nil
}

// onDiagonal compares a cell with the diagonal cell of a class, for a binary search.
func onDiagonal(c cell, class int) int {
	switch {
	case c.a < class || c.a == class && c.b < class:
		return -1
	case c.a == class && c.b == class:
		return 0
	default:
		return 1
	}
}

// Confusion returns the confusion matrix. It takes 8·k² bytes for k classes, and fails for more than 8192.
func (t *Tally) Confusion() (*Confusion, error) {
	cells, err := t.cells()
	if err != nil {
		return nil, err
	}
	c := &Confusion{Classes: labelsOf(cells)}
	k := len(c.Classes)
	if k > maxClasses {
		return nil, tooManyClasses(k)
	}
	c.Counts = make([][]int64, k)
	for i := range c.Counts {
		c.Counts[i] = make([]int64, k)
	}
	for _, cell := range cells {
		i, _ := slices.BinarySearch(c.Classes, cell.a)
		j, _ := slices.BinarySearch(c.Classes, cell.b)
		c.Counts[i][j] = cell.rows
	}
	return c, nil
}
