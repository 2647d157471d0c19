package rkhs

import "github.com/nystream/nystream/internal/words"

// Task says what is decomposed: an operator has singular values, and eigenvalues if
// its range and domain are one RKHS.
type Task uint8

// The tasks.
const (
	SVD Task = iota
	Eigen
)

var taskWords = []string{"svd", "eigen"}

// String returns the word for a task.
func (t Task) String() string { return words.Of(taskWords, t) }

// ParseTask returns the task that a word names.
func ParseTask(s string) (Task, error) { return words.Parse[Task]("task", taskWords, s) }

// Algorithm says what the fit is made of.
type Algorithm uint8

// The engines.
const (
	// AlgorithmAuto is EngineExact where its plan fits the memory, the pairs are at most
	// AutoPairs and their features have a span that is small enough, else EngineLandmark.
	AlgorithmAuto Algorithm = iota
	// AlgorithmExact spans the features of all rows, but for rounding. It refuses a kernel
	// that takes more pivots than Landmarks.
	AlgorithmExact
	// AlgorithmLandmark has the span of landmarks.
	AlgorithmLandmark
)

// AutoPairs is up to how many pairs EngineAuto is exact.
const AutoPairs = 3000

var engineWords = []string{"auto", "exact", "landmark"}

// String returns the word for an engine.
func (e Algorithm) String() string { return words.Of(engineWords, e) }

// ParseAlgorithm returns the engine that a word names.
func ParseAlgorithm(s string) (Algorithm, error) {
	return words.Parse[Algorithm]("engine", engineWords, s)
}
