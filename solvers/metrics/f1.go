package metrics

// Accuracy is [Tally.Accuracy] of two labellings.
func Accuracy(truth, predicted []int) (float64, error) {
	return NewTally(truth, predicted).Accuracy()
}

// MacroF1 is [Tally.MacroF1] of two labellings.
func MacroF1(truth, predicted []int) (float64, error) {
	return NewTally(truth, predicted).MacroF1()
}
