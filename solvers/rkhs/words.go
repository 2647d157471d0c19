package rkhs

import "github.com/nystream/nystream/internal/words"

// Task selects the decomposition. Every operator has singular values; it has eigenvalues if its range and domain are
// one RKHS.
type Task uint8

// The tasks.
const (
	SVD Task = iota
	Eigen
)

var taskWords = []string{"svd", "eigen"}

// String returns the word for a task.
func (t Task) String() string { return words.Of(taskWords, t) }

// ParseTask is the inverse of String. It fails for unknown words.
func ParseTask(s string) (Task, error) { return words.Parse[Task]("task", taskWords, s) }

// Algorithm selects the subspace of features.
type Algorithm uint8

// The algorithms.
const (
	// AlgorithmAuto is exact if its plan fits in memory, there are at most AutoPairs pairs, and their features have a
	// small span; else it uses landmarks.
	AlgorithmAuto Algorithm = iota
	// AlgorithmExact spans the features of all rows, up to rounding. It refuses a kernel that needs more pivots than
	// Landmarks.
	AlgorithmExact
	// AlgorithmLandmark uses the span of landmarks.
	AlgorithmLandmark
)

// AutoPairs is the largest number of pairs for which AlgorithmAuto is exact.
const AutoPairs = 3000

var engineWords = []string{"auto", "exact", "landmark"}

// String returns the word for an engine.
func (e Algorithm) String() string { return words.Of(engineWords, e) }

// ParseAlgorithm is the inverse of String. It fails for unknown words.
func ParseAlgorithm(s string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, s)
}
