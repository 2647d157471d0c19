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

// Engine says what the fit is made of.
type Engine uint8

// The engines.
const (
	// EngineAuto is EngineExact where its plan fits the memory, the pairs are at most
	// AutoPairs and their features have a span that is small enough, else EngineLandmark.
	EngineAuto Engine = iota
	// EngineExact spans the features of all rows, but for rounding. It refuses a kernel
	// that takes more pivots than Landmarks.
	EngineExact
	// EngineLandmark has the span of landmarks.
	EngineLandmark
)

// AutoPairs is up to how many pairs EngineAuto is exact.
const AutoPairs = 3000

var engineWords = []string{"auto", "exact", "landmark"}

// String returns the word for an engine.
func (e Engine) String() string { return words.Of(engineWords, e) }

// ParseEngine returns the engine that a word names.
func ParseEngine(s string) (Engine, error) { return words.Parse[Engine]("engine", engineWords, s) }
