package rkhs

import "github.com/nystream/nystream/solvers/internal/words"

// Task says what is decomposed: an operator has singular values, and eigenvalues if
// its range and domain are one RKHS.
type Task uint8

// The tasks.
const (
	SVD Task = iota
	Eigen
)

var taskWords = []string{"svd", "eigen"}

// String is the word for a task.
func (t Task) String() string { return words.Of(taskWords, t) }

// ParseTask is the task that a word names.
func ParseTask(s string) (Task, error) { return words.Parse[Task]("task", taskWords, s) }

// Engine says what the fit is made of.
type Engine uint8

// The engines.
const (
	// EngineAuto is EngineExact where its plan fits the memory and the pairs are at
	// most AutoPairs, and the rank of the kernel turns out small enough, else
	// EngineLandmark.
	EngineAuto Engine = iota
	// EngineExact spans the features of all rows, but for rounding.
	EngineExact
	// EngineLandmark has the span of landmarks, or random features.
	EngineLandmark
)

// AutoPairs is up to how many pairs EngineAuto is exact.
const AutoPairs = 3000

var engineWords = []string{"auto", "exact", "landmark"}

// String is the word for an engine.
func (e Engine) String() string { return words.Of(engineWords, e) }

// ParseEngine is the engine that a word names.
func ParseEngine(s string) (Engine, error) { return words.Parse[Engine]("engine", engineWords, s) }

// Formulation says which matrix problem the exact engine solves.
type Formulation uint8

// The formulations.
const (
	// FormulationQR is the kernel QR decomposition (paper, Corollaries 3.5 and 3.6): the
	// matrix of S in orthonormal bases of the features, from the factors alone. Nothing
	// is squared. It is the only one of EngineLandmark.
	FormulationQR Formulation = iota
	// FormulationAuxiliary is the auxiliary problem with B itself: BᵀG_ΨB·G_Φ·w = σ²·w
	// (Proposition 3.13), or B·ΦᵀΥ·w = λ·w (Proposition 3.8). The first is solved as a
	// symmetric problem, by G_Φ = XXᵀ. It sees σ² and so singular values down to
	// 1e-7 of the first.
	FormulationAuxiliary
	// FormulationBlock is the problem of twice the size (Theorem 3.17) with B itself,
	// made symmetric in the same way. It is for singular values alone.
	FormulationBlock
)

var formulationWords = []string{"qr", "auxiliary", "block"}

// String is the word for a formulation.
func (f Formulation) String() string { return words.Of(formulationWords, f) }

// ParseFormulation is the formulation that a word names.
func ParseFormulation(s string) (Formulation, error) {
	return words.Parse[Formulation]("formulation", formulationWords, s)
}
