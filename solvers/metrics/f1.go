package metrics

import "slices"

// Accuracy returns the share of rows whose prediction is true, in [0, 1]. With one label a
// row each wrong row is one false positive and one false negative, so this is also
// the micro-averaged F1 (scikit-learn: f1_score(average="micro")).
func Accuracy(truth, predicted []int) (float64, error) {
	if err := checkLengths(len(truth), len(predicted)); err != nil {
		return 0, err
	}
	right := 0
	for i, t := range truth {
		if t == predicted[i] {
			right++
		}
	}
	return float64(right) / float64(len(truth)), nil
}

// MacroF1 returns the mean over classes, each counting alike, of
// F1 = 2·TP/(2·TP + FP + FN), in [0, 1]. The mean is over the classes that occur
// in truth or prediction; a class that occurs in only one of them has F1 = 0
// (scikit-learn: f1_score(average="macro", zero_division=0)).
func MacroF1(truth, predicted []int) (float64, error) {
	f1, err := ClassF1(truth, predicted)
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
func ClassF1(truth, predicted []int) ([]ClassScore, error) {
	if err := checkLengths(len(truth), len(predicted)); err != nil {
		return nil, err
	}
	cells := crossCount(truth, predicted)
	inTruth, inPrediction := margins(cells)
	var scores []ClassScore
	for _, class := range distinct(truth, predicted) {
		right := int64(0)
		if i, found := slices.BinarySearchFunc(cells, class, onDiagonal); found {
			right = cells[i].rows
		}
		either := inTruth[class] + inPrediction[class] // 2·TP + FP + FN, at least 1
		scores = append(scores, ClassScore{class, 2 * float64(right) / float64(either)})
	}
	return scores, nil
}

// onDiagonal compares a cell with the cell of one class on both sides.
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
