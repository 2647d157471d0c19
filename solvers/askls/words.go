package askls

import "github.com/nystream/nystream/internal/words"

// Algorithm selects the engine that solves the system.
type Algorithm uint8

// The engines.
const (
	AlgorithmAuto Algorithm = iota
	AlgorithmDense
	AlgorithmIterative
	AlgorithmLowRank
)

// Merge selects how the two functions of a sample are combined.
type Merge uint8

// The ways to merge. The paper's sum of the two chooses the same classes as the average.
const (
	MergeAverage Merge = iota // (f_s + f_t)/2
	MergeSource               // f_s
	MergeTarget               // f_t
	// MergeStack is the log-odds of a logistic regression for each class on out-of-fold f_s and f_t: stacked
	// generalisation, with [Solver.Folds].
	MergeStack
)

var (
	engineWords = []string{"auto", "dense", "iterative", "lowrank"}
	mergeWords  = []string{"average", "source", "target", "stack"}
)

// String returns the word for an engine.
func (e Algorithm) String() string { return words.Of(engineWords, e) }

// String returns the word for a way to merge.
func (m Merge) String() string { return words.Of(mergeWords, m) }

// ParseAlgorithm is the inverse of String. It fails for unknown words.
func ParseAlgorithm(word string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, word)
}

// ParseMerge is the inverse of String. It fails for unknown words.
func ParseMerge(word string) (Merge, error) {
	return words.Parse[Merge]("way to merge", mergeWords, word)
}
