package askls

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Fit is what [Solver.Fit] returns: the model, and what is known about it.
type Fit struct {
	*Model
	// Notes are sentences for the user: what was adjusted or chosen, and why.
	Notes []string
	// Condition is the condition number of M, as far as the engine knows it: in the
	// 1-norm (dense; of M² + λI with a ridge asked for), in the 2-norm of the approximate
	// M (lowrank), or of M preconditioned as far as the iteration has seen (iterative).
	Condition float64
	// SmallestEigenvalue is the smallest magnitude of an eigenvalue of the approximate M
	// (lowrank); NaN for others.
	SmallestEigenvalue float64
	// Residual is the largest ‖r − Mx‖/‖r‖ of a class, of the system that was solved; NaN
	// for engine lowrank, which solves its own exactly.
	Residual   float64
	Iterations int // of engine iterative
	Rank       int // of the approximation or the preconditioner
	// KernelEntries is how many entries of K were evaluated, and SourcePasses how many
	// passes were made over the rows by engine lowrank, 1 for others.
	KernelEntries int64
	SourcePasses  int
	// HeldOut are f_s and f_t (n×2k) of every sample by the machine that has not seen its
	// fold; empty unless functions are stacked.
	HeldOut blas64.General
	// Folds are those of stacking.
	Folds []Fold
}

// fit is a fit under way.
type fit struct {
	Solver
	engine  stream.Engine
	data    *Data
	labels  []int
	targets blas64.General // n×k, ±1
	folds   []Fold         // of stacking
}

// Fit learns the classes 0..classes−1 of the samples, one against the rest; labels are
// in the order of the samples. A class without samples gets the decision −1 everywhere,
// or nearly with a ridge.
//
// Cost: see the engines, and [Solver.Plan]. Results are the same bits for any number of
// threads.
func (m Solver) Fit(ctx context.Context, e stream.Engine, d *Data, labels []int, classes int) (*Fit, error) {
	if classes < 1 {
		panic(fmt.Sprintf("askls: %d classes", classes))
	}
	n := d.Samples()
	if len(labels) != n {
		return nil, fmt.Errorf("%d samples, and labels for %d", n, len(labels))
	}
	for i, l := range labels {
		if l < 0 || l >= classes {
			return nil, fmt.Errorf("sample %d has label %d, which is none of the classes 0 to %d", i, l, classes-1)
		}
	}
	m, err := m.settings(n)
	if err != nil {
		return nil, err
	}
	m.Engine = m.choose(d.Shape())
	f := &fit{Solver: m, engine: e, data: d, labels: labels, targets: oneAgainstRest(labels, classes)}
	if m.Merge == MergeStack {
		f.folds = newFolds(labels, classes, m.Folds, m.Seed)
	}
	return f.run(ctx)
}

// oneAgainstRest are targets ±1, a column for each class.
func oneAgainstRest(labels []int, classes int) blas64.General {
	y := stream.NewMatrix(len(labels), classes)
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
	switch f.Engine {
	case EngineDense:
		solve = f.formed
	case EngineIterative:
		solve = f.iterative
	}
	s, err := solve(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	model, err := f.model(s)
	if err != nil {
		return nil, err
	}
	return &Fit{Model: model, Notes: s.notes, Condition: s.condition, SmallestEigenvalue: s.smallest, Residual: s.residual, Iterations: s.iterations,
		Rank: s.rank, KernelEntries: s.entries, SourcePasses: max(1, s.passes), HeldOut: s.heldOut, Folds: f.folds}, nil
}

// check refuses functions that are not finite.
func (s *solution) check() error {
	for _, m := range []blas64.General{s.source, s.target, s.heldOut, rowOf(s.biases[0]), rowOf(s.biases[1])} {
		for i := range m.Rows {
			for _, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("the functions are not finite: the kernel overflows, or the system is singular; scale the columns (--scale standard), or give a ridge (--ridge 1)")
				}
			}
		}
	}
	return nil
}

// rowOf is a vector as a matrix of one row.
func rowOf(v []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(v), Stride: max(1, len(v)), Data: v}
}

// model makes a model of what an engine found.
func (f *fit) model(s *solution) (m *Model, err error) {
	m = &Model{Classes: f.targets.Cols, Samples: int64(f.targets.Rows), Gamma: f.Gamma, Ridge: s.ridge, Engine: f.Engine, Merge: f.Merge, Symmetry: f.Symmetry, Seed: f.Seed,
		Biases: s.biases, Functions: s.functions}
	if f.data.explicit() {
		m.Edges = &Edges{Total: f.data.total, Nodes: f.data.nodes, Source: s.source, Target: s.target}
	}
	if f.Merge == MergeStack {
		m.Stack, err = f.stack(s.heldOut)
	}
	return m, err
}
