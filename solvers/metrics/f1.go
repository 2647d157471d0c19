package metrics

// Accuracy is [Tally.Accuracy] of two labellings.
func Accuracy(truth, predicted []int) (float64, error) {
	return NewTally(truth, predicted).Accuracy()
}

// MacroF1 is [Tally.MacroF1] of two labellings.
func MacroF1(truth, predicted []int) (float64, error) {
	return NewTally(truth, predicted).MacroF1()
}

// ClassF1 is [Tally.ClassF1] of two labellings.
func ClassF1(truth, predicted []int) ([]ClassScore, error) {
	return NewTally(truth, predicted).ClassF1()
}
