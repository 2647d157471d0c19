package askls

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

// Method is any method that fits a machine, such as [Solver]. It ignores the kernel if the data hold the kernel matrix
// itself.
type Method = model.Method[*Data, Fit]

// Solver configures a fit. C must be set; other fields may be zero.
type Solver struct {
	// C is γ > 0, the penalty on errors relative to the size of the functions.
	C float64
	// Ridge λ > 0 solves (M² + λI)·x = M·r; 0 solves M·x = r. If that is singular (a condition number of 1e13 or more),
	// or the iterative engine does not converge on an explicit matrix, λ becomes 1.
	Ridge     float64
	Algorithm Algorithm
	Merge     Merge

	// Folds is the number of folds of stacking, stratified by class. 0 means 10, or the number of samples if that is
	// less.
	Folds int

	// Rank, Landmarks and Sums configure the approximation of the low-rank engine, and the preconditioner of the
	// iterative one: see [ksvd.Nystrom]. Rank 0 means 100. Landmarks 0 means 20 times the rank up to 2000, but at least
	// 4 times the rank.
	Rank      int
	Landmarks int
	Sums      ksvd.Sums

	// ResidualTol is the tolerance of the iterative engine for ‖r − Mx‖/‖r‖ of every class; 0 means 1e-10.
	ResidualTol float64
	// Iterations limits those of the iterative engine; 0 means 1000.
	Iterations int

	// Memory is the memory available to AlgorithmAuto, in bytes; 0 means no limit.
	Memory int64 `states:"ignored"`
	Seed   uint64
}

func (m Solver) settings(n int) (Solver, error) {
	m.Folds, m.Rank = cmp.Or(m.Folds, min(10, n)), cmp.Or(m.Rank, 100)
	m.ResidualTol, m.Iterations = cmp.Or(m.ResidualTol, 1e-10), cmp.Or(m.Iterations, 1000)
	positive := func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	switch {
	case !positive(m.C) || !positive(1/m.C):
		return m, fmt.Errorf("penalty C %v must be positive and finite, and so must 1/C", m.C)
	case m.Ridge != 0 && !positive(m.Ridge):
		return m, fmt.Errorf("ridge %v must be positive and finite, or 0 for the plain system", m.Ridge)
	case int(m.Algorithm) >= len(engineWords), int(m.Merge) >= len(mergeWords):
		return m, fmt.Errorf("there is no engine %v or merging %v", m.Algorithm, m.Merge)
	case m.Merge == MergeStack && (m.Folds < 2 || m.Folds > n || m.Folds > math.MaxUint16):
		return m, fmt.Errorf("%d folds of %d samples: stacking needs 2 at least, and a sample for each", m.Folds, n)
	case !positive(m.ResidualTol):
		return m, fmt.Errorf("residual tolerance %v must be positive and finite", m.ResidualTol)
	case m.Rank < 1, m.Landmarks < 0, m.Iterations < 1:
		return m, fmt.Errorf("rank %d and iterations %d must be at least 1, and landmarks %d not negative", m.Rank, m.Iterations, m.Landmarks)
	}
	return m, nil
}

// The largest numbers of samples for which AlgorithmAuto chooses an engine: it then takes seconds to a few minutes.
const (
	denseSamples     = 1500
	iterativeSamples = 20000
)

// choose resolves AlgorithmAuto: the most exact engine that is fast enough and fits in memory, with a sentence of
// explanation.
func (m Solver) choose(s model.Size, k kernelgen.Kernel) (Algorithm, []string) {
	because := func(engine Algorithm, format string, args ...any) (Algorithm, []string) {
		return engine, []string{fmt.Sprintf("engine %v: ", engine) + fmt.Sprintf(format, args...)}
	}
	switch {
	case m.Algorithm != AlgorithmAuto:
		return m.Algorithm, nil
	case s.Rows <= denseSamples && m.fits(AlgorithmDense, s, k):
		return because(AlgorithmDense, "%d samples, and their system can be formed", s.Rows)
	case explicit(s):
		return because(AlgorithmIterative, "%d samples of a matrix, whose system is not formed", s.Rows)
	case s.Rows <= iterativeSamples && m.fits(AlgorithmIterative, s, k):
		return because(AlgorithmIterative, "%d samples, whose system is not formed", s.Rows)
	}
	return because(AlgorithmLowRank, "%d samples are too many for the exact engines, or their memory", s.Rows)
}

// explicit reports whether the kernel matrix is given.
func explicit(s model.Size) bool { return s.Sparse != nil && s.Sparse.Explicit }
