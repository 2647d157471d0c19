package askls

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// Fit is a model with the results of its fit. Residuals are ‖r − Mx‖/‖r‖ of the solved system, for each class and, with
// the iterative engine, each class without each fold. They are nil for the low-rank engine, which solves its system
// exactly.
type Fit struct {
	*Model
	model.Report
	// Condition is the condition number known to the engine: of M in the 1-norm (dense; of M² + λI with a ridge
	// setting), of the approximate M in the 2-norm (low-rank), or a lower bound for the preconditioned M (iterative).
	Condition  float64
	Iterations int // of the iterative engine
	Rank       int // of the approximation or the preconditioner
	// HeldOut has out-of-fold values of f_s and f_t (n×2k) for every sample; empty unless functions are stacked.
	HeldOut blas64.General
	// Folds are the folds of stacking: see [split.StratifiedKFold].
	Folds []split.Split
}

// fit is a fit in progress.
type fit struct {
	Solver
	engine  stream.Engine
	data    *Data
	kernel  kernelgen.Kernel
	targets blas64.General // n×k, ±1
	folds   []split.Split  // of stacking
}

// Fit learns the classes of the samples, one against the rest, with a kernel between their rows. An explicit matrix
// ignores the kernel. The decision for a class without samples is −1 everywhere, or nearly so with a ridge.
//
// Cost: see the engines, and [Solver.Plan]. Results have the same bits for any number of threads.
func (m Solver) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Solver) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	m, err := m.settings(d.Samples())
	if err != nil {
		return nil, err
	}
	if !d.explicit() {
		if k, err = family.Resolve(ctx, e, d, k, m.Seed); err != nil {
			return nil, err
		}
	}
	asked := m.Algorithm
	engine, notes := m.choose(d.Size(), k)
	m.Algorithm = engine
	f := &fit{Solver: m, data: d, kernel: k, targets: oneAgainstRest(d.labels, d.classes)}
	f.engine = e.WithInputs(f.targets)
	if m.Merge == MergeStack {
		if f.folds, err = split.StratifiedKFold(d.labels, m.Folds, m.Seed); err != nil {
			return nil, err
		}
	}
	fitted, err := f.run(ctx)
	if err == nil && asked == AlgorithmAuto {
		fitted.Choice.Name, fitted.Notes = engine.String(), append(notes, fitted.Notes...)
	}
	return fitted, err
}

// oneAgainstRest returns targets ±1, a column for each class.
func oneAgainstRest(labels []int, classes int) blas64.General {
	y := matrix.New(len(labels), classes)
	for i := range y.Data {
		y.Data[i] = -1
	}
	for i, l := range labels {
		y.Data[i*classes+l] = 1
	}
	return y
}

func (f *fit) run(ctx context.Context) (*Fit, error) {
	solve := f.lowRank
	switch f.Algorithm {
	case AlgorithmDense:
		solve = f.formed
	case AlgorithmIterative:
		solve = f.iterative
	}
	s, err := solve(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	fitted, err := f.model(s)
	if err != nil {
		return nil, err
	}
	return &Fit{Model: fitted, Report: s.report, Condition: s.condition, Iterations: s.iterations,
		Rank: s.rank, HeldOut: s.heldOut, Folds: f.folds}, nil
}

// model returns the model of a solution.
func (f *fit) model(s *solution) (m *Model, err error) {
	m = &Model{Classes: f.targets.Cols, Samples: int64(f.targets.Rows), C: f.C, Ridge: s.ridge, Algorithm: f.Algorithm, Merge: f.Merge, Seed: f.Seed,
		Biases: s.biases, Functions: s.functions}
	if f.data.explicit() {
		m.Edges = &Edges{Total: f.data.total, Nodes: f.data.nodes, Source: s.source, Target: s.target}
	}
	if f.Merge == MergeStack {
		m.Stack, err = NewStack(s.heldOut, f.data.labels)
	}
	return m, err
}

// OutOfFold returns the decisions of the model on the samples of its fit, from [Fit.HeldOut]. It fails unless functions
// are stacked. The weights of stacking, three for each class, are learnt from all samples.
func (f *Fit) OutOfFold() (blas64.General, error) {
	if f.HeldOut.Rows == 0 {
		return blas64.General{}, errors.New("functions that are not stacked were not left out")
	}
	decisions := matrix.New(f.HeldOut.Rows, f.Classes)
	f.Decide(decisions, f.HeldOut)
	return decisions, nil
}
