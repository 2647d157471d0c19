package askls

import "github.com/nystream/nystream/solvers/internal/words"

// Engine says how the system is solved.
type Engine uint8

// The engines.
const (
	EngineAuto Engine = iota
	EngineDense
	EngineIterative
	EngineLowRank
)

// Merge says how the two functions of a sample become one.
type Merge uint8

// The ways to merge. Average and Sum choose the same classes.
const (
	MergeAverage Merge = iota // (f_s + f_t)/2
	MergeSource               // f_s
	MergeTarget               // f_t
	MergeSum                  // f_s + f_t
	// MergeStack is the log-odds of a logistic regression for each class on f_s and f_t
	// of samples that were left out: stacked generalisation, by [Solver.Folds].
	MergeStack
)

// Approximation says what the low-rank engine factors K with.
type Approximation uint8

// The approximations.
const (
	// ApproximateNystrom is the asymmetric Nyström method, for any kernel.
	ApproximateNystrom Approximation = iota
	// ApproximateSSRSVD is for kernels that are symmetric functions of two rows.
	ApproximateSSRSVD
)

var (
	engineWords        = []string{"auto", "dense", "iterative", "lowrank"}
	mergeWords         = []string{"average", "source", "target", "sum", "stack"}
	approximationWords = []string{"nystrom", "ssrsvd"}
)

// String returns the word for an engine.
func (e Engine) String() string { return words.Of(engineWords, e) }

// String returns the word for a way to merge.
func (m Merge) String() string { return words.Of(mergeWords, m) }

// String returns the word for an approximation.
func (a Approximation) String() string { return words.Of(approximationWords, a) }

// ParseEngine reads a word that String writes.
func ParseEngine(word string) (Engine, error) {
	return words.Parse[Engine]("engine", engineWords, word)
}

// ParseMerge reads a word that String writes.
func ParseMerge(word string) (Merge, error) {
	if word == "add" { // so earlier models have it
		return MergeSum, nil
	}
	return words.Parse[Merge]("way to merge", mergeWords, word)
}
