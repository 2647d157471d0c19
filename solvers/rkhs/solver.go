package rkhs

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Method is any method that decomposes an operator, with a kernel of x, such as [Solver].
type Method = model.Method[*Data, Fit]

// Solver decomposes an operator. Operator and Rank must be set; other fields may be zero.
type Solver struct {
	Operator Operator
	Task     Task
	Rank     int // number of triplets or eigenpairs; one more if that would separate conjugates

	// KernelY is the kernel of y; nil means that of x. If y is in another space, its words are resolved on rows of y.
	// Operators between functions of one space ([Koopman], [PerronFrobenius], all with Eigen) have one kernel.
	KernelY *kernelgen.Kernel
	// Center subtracts the means of the features: covariances replace second moments. The paper's operators are not
	// centred; other implementations of CCA and kernel PCA centre. Without centring, the first singular function of a
	// CCA and the first eigenfunction of a transfer operator are nearly constant, with a value near 1. Centring removes
	// them.
	//
	// For kernels such as linear, whose centred matrix is translation-invariant, the column medians are subtracted from
	// the rows, as the origin of the space, so that large offsets lose no digits.
	Center bool

	Algorithm Algorithm
	// Landmarks is the number of rows of each side that span the functions; for one space, of both sides together. 0
	// means 300. For AlgorithmExact it is the largest number of pivots, with 0 meaning 1000: it refuses a kernel of
	// higher rank. Landmarks are pivots of a randomly pivoted Cholesky factorisation of max(1024, 5·Landmarks) rows, or
	// of all rows for AlgorithmExact.
	Landmarks int

	// Cutoff is the smallest eigenvalue of a covariance operator kept in an inverse with ε = 0, and the smallest
	// singular value of a time-lagged Gram matrix kept in a pseudo-inverse, relative to the largest; 0 means 1e-10.
	Cutoff float64
	Seed   uint64
	Memory int64 `states:"ignored"` // available to AlgorithmAuto, in bytes; 0 for no limit
}

// Defaults of Solver.Landmarks.
const (
	defaultLandmarks = 300
	defaultExact     = 1000
)

// resolvedSolver is a solver with the kernels of both sides.
type resolvedSolver struct {
	Solver
	kernels [2]kernelgen.Kernel
}

// with returns the solver with a kernel of x.
func (s Solver) with(k kernelgen.Kernel) resolvedSolver {
	y := k
	if s.KernelY != nil {
		y = *s.KernelY
	}
	return resolvedSolver{s, [2]kernelgen.Kernel{k, y}}
}

// resolve resolves the words of kernels.
func (s *resolvedSolver) resolve(ctx context.Context, e stream.Engine, d *Data) (err error) {
	if s.kernels[SideX], err = family.Resolve(ctx, e, d, s.kernels[SideX], s.Seed); err != nil {
		return err
	}
	switch {
	case s.OneSpace():
		s.kernels[SideY] = s.kernels[SideX]
	case d.y != nil && !s.Operator.Traits().Single:
		s.kernels[SideY], err = family.Resolve(ctx, e, sideData{d, SideY}, s.kernels[SideY], s.Seed)
	}
	return err
}

// OneSpace reports whether x and y are rows of one space, with the same features and the same
// preparation.
func (s Solver) OneSpace() bool {
	t := s.Operator.Traits()
	return !t.Single && (t.OneSpace || s.Task == Eigen)
}

// settings fills in defaults and fails for invalid settings.
func (s resolvedSolver) settings(e stream.Engine, shape model.Size) (resolvedSolver, []string, error) {
	if err := s.check(shape); err != nil {
		return s, nil, err
	}
	if s.Cutoff == 0 {
		s.Cutoff = 1e-10
	}
	var notes []string
	if s.Algorithm == AlgorithmAuto {
		s, notes = s.choose(e, shape)
	}
	if s.Landmarks == 0 {
		s.Landmarks = defaultLandmarks
		if s.Algorithm == AlgorithmExact {
			s.Landmarks = defaultExact
		}
	}
	return s, notes, nil
}

func (s resolvedSolver) check(shape model.Size) error {
	if s.Operator == nil {
		panic("rkhs: a solver without an operator")
	}
	if err := checkOperator(s.Operator); err != nil {
		return err
	}
	op, explicit := s.Operator.(Explicit)
	if explicit {
		if err := op.checkSize(shape); err != nil {
			return err
		}
	}
	for _, k := range s.kernels {
		if _, normalised := k.Normaliser(); normalised || !k.Symmetric() {
			return fmt.Errorf("kernel %s is not symmetric: an RKHS has a symmetric positive definite kernel, such as rbf, laplace or poly", k)
		}
		if err := k.CheckPlain(); err != nil {
			return err
		}
	}
	t := s.Operator.Traits()
	switch {
	case s.Rank < 1 || s.Landmarks < 0 || s.Memory < 0:
		return fmt.Errorf("rank %d must be at least 1, and landmarks %d and memory %d not negative", s.Rank, s.Landmarks, s.Memory)
	case !(s.Cutoff >= 0 && s.Cutoff < 1):
		return fmt.Errorf("cutoff %v must be from 0 to below 1", s.Cutoff)
	case !t.Single && columnsOf(shape, SideY) == 0:
		return fmt.Errorf("operator %s is between x and y: give a second source, or a lag", s.Operator)
	case !explicit && rowsOf(shape, SideY) != shape.Rows:
		return fmt.Errorf("x has %d rows and y has %d: operator %s takes one row of each for a pair", shape.Rows, rowsOf(shape, SideY), s.Operator)
	case s.OneSpace() && shape.Columns != columnsOf(shape, SideY):
		return fmt.Errorf("x has %d columns and y has %d: `Task %s` of operator %s needs functions of one space", shape.Columns, columnsOf(shape, SideY), s.Task, s.Operator)
	case s.OneSpace() && !s.kernels[SideX].Same(s.kernels[SideY]):
		return fmt.Errorf("kernels %s and %s: `Task %s` of operator %s needs functions of one space, and so one kernel", s.kernels[SideX], s.kernels[SideY], s.Task, s.Operator)
	}
	return nil
}

// choose returns the solver with the engine chosen for AlgorithmAuto, and the reason.
func (s resolvedSolver) choose(e stream.Engine, shape model.Size) (resolvedSolver, []string) {
	because := func(engine Algorithm, format string, args ...any) (resolvedSolver, []string) {
		s.Algorithm = engine
		return s, []string{fmt.Sprintf("engine %s: ", engine) + fmt.Sprintf(format, args...)}
	}
	what := "pairs"
	if rowsOf(shape, SideY) != shape.Rows {
		what = "rows of a side"
	}
	switch {
	case s.Landmarks > 0 && int64(s.Landmarks) < shape.Longest():
		return because(AlgorithmLandmark, "%d landmarks were asked for", s.Landmarks)
	case shape.Longest() > AutoPairs:
		return because(AlgorithmLandmark, "there are %d %s, and the exact engine is for up to %d", shape.Longest(), what, AutoPairs)
	}
	exact := s
	exact.Algorithm, exact.Landmarks = AlgorithmExact, cmp.Or(s.Landmarks, defaultExact)
	if p, err := exact.plan(e, shape); err == nil && s.Memory > 0 && p.Memory.Total() > s.Memory {
		return because(AlgorithmLandmark, "the exact engine would take %d MiB of memory", p.Memory.Total()>>20)
	}
	return because(AlgorithmExact, "there are %d %s: few enough to span the features of all of them", shape.Longest(), what)
}
