package askls

import "github.com/nystream/nystream/internal/words"

// Algorithm says how the system is solved.
type Algorithm uint8

// The engines.
const (
	AlgorithmAuto Algorithm = iota
	AlgorithmDense
	AlgorithmIterative
	AlgorithmLowRank
)

// Merge says how the two functions of a sample become one.
type Merge uint8

// The ways to merge. The sum of the two, of the paper, chooses the classes of their average.
const (
	MergeAverage Merge = iota // (f_s + f_t)/2
	MergeSource               // f_s
	MergeTarget               // f_t
	// MergeStack is the log-odds of a logistic regression for each class on f_s and f_t
	// of samples that were left out: stacked generalisation, by [Solver.Folds].
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

// ParseAlgorithm reads a word that String writes.
func ParseAlgorithm(word string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, word)
}

// ParseMerge reads a word that String writes.
func ParseMerge(word string) (Merge, error) {
	return words.Parse[Merge]("way to merge", mergeWords, word)
}
