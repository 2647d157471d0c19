package askls

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/minres"
	"github.com/nystream/nystream/stream"
)

// iterative solves the system without forming it. The right sides of all classes are
// solved at once, and with stacking those of all folds too, as columns that are 0 where
// a fold leaves samples out: the tiles of K are made once for all of them.
type iterative struct {
	*fit
	system system
	p      *preconditioner
	out    [][]int64 // samples left out by each set of k columns: none, and those of folds
}

// probeColumns is one more column with a random right side, which has something in the
// null space of a singular system: right sides of labels have nothing in that of two
// equal rows, and MINRES would not see it.
const probeColumns = 1

func (f *fit) iterative(ctx context.Context) (*solution, error) {
	s := newSolution()
	p, err := f.preconditioner(ctx, s)
	if err != nil {
		return nil, err
	}
	k, err := newMatrix(ctx, f.engine, f.data, f.kernel, false)
	if err != nil {
		return nil, err
	}
	it := &iterative{fit: f, system: system{k: k, gamma: f.Gamma}, p: p, out: [][]int64{nil}}
	for _, fold := range f.folds {
		it.out = append(it.out, fold.Test)
	}
	for range f.folds {
		it.system.scale = append(it.system.scale, filled(f.targets.Cols, f.foldScale())...)
	}
	it.system.scale = append(ones(f.targets.Cols), it.system.scale...)
	r := it.rightSides()
	x, err := it.solve(ctx, r, s)
	if err != nil {
		return nil, err
	}
	classes := f.targets.Cols
	parts := partsOf(dense.Clone(dense.Columns(x, 0, classes)))
	s.source, s.target, s.biases = parts.b, parts.a, [2][]float64{parts.b1, parts.b2}
	if len(f.folds) > 0 {
		if err := it.leaveOut(ctx, x, s); err != nil {
			return nil, err
		}
	}
	s.report.KernelEntries += k.Entries()
	s.expand(k)
	return s, nil
}

// rightSides returns those of all sets, and the random one.
func (it *iterative) rightSides() blas64.General {
	one := rightSide(it.targets)
	k := one.Cols
	r := stream.NewMatrix(one.Rows, k*len(it.out)+probeColumns)
	random := sketch.NewRandom(it.Seed, "askls probe")
	for i := range r.Rows {
		row := dense.Row(r, i)
		for set := range it.out {
			copy(row[set*k:], dense.Row(one, i))
		}
		draws := random.At(uint64(i))
		row[len(row)-1] = draws.Normal()
	}
	it.mask(r)
	return r
}

// mask makes what folds leave out 0.
func (it *iterative) mask(x blas64.General) {
	n, k := it.targets.Rows, it.targets.Cols
	for set, out := range it.out {
		for _, i := range out {
			clear(dense.Row(x, 2+int(i))[set*k : (set+1)*k])
			clear(dense.Row(x, 2+n+int(i))[set*k : (set+1)*k])
		}
	}
}

// multiply multiplies with M without what folds leave out, or with its square and the
// ridge.
func (it *iterative) multiply(ctx context.Context, ridge float64, x, ax, room blas64.General) error {
	if ridge == 0 {
		err := it.system.multiply(ctx, x, ax)
		it.mask(ax)
		return err
	}
	if err := it.system.multiply(ctx, x, room); err != nil {
		return err
	}
	it.mask(room)
	if err := it.system.multiply(ctx, room, ax); err != nil {
		return err
	}
	it.mask(ax)
	for i := range x.Rows {
		dense.Axpy(ridge, dense.Row(x, i), dense.Row(ax, i))
	}
	return nil
}

// solve solves the plain system, or the ridge one where it is singular, or where a random
// right side does not show that it is not.
func (it *iterative) solve(ctx context.Context, r blas64.General, s *solution) (blas64.General, error) {
	s.ridge = it.Ridge
	if s.ridge == 0 {
		run, err := it.run(ctx, r, 0, true)
		if err != nil {
			return blas64.General{}, err
		}
		s.condition, s.iterations = run.Condition, run.Iterations
		if run.Regular && !run.Singular {
			return it.finish(run, s)
		}
		s.ridge = fallbackRidge
		if run.Singular {
			s.report.Note(fallbackNote(s.condition, s.ridge))
		} else {
			s.report.Note(fmt.Sprintf("the system cannot be told from a singular one in %d iterations: the ridge system (M² + λI)x = Mr with λ = %v was solved instead (`ridge`, or more `iterations`)", run.Iterations, s.ridge))
		}
	}
	run, err := it.run(ctx, r, s.ridge, false)
	if err != nil {
		return blas64.General{}, err
	}
	s.iterations += run.Iterations
	if s.condition != s.condition {
		s.condition = run.Condition
	}
	return it.finish(run, s)
}

// finish reports the residual, and refuses what is no solution.
func (it *iterative) finish(run *minres.Solution, s *solution) (blas64.General, error) {
	s.report.Residuals, s.report.Unsettled = run.Residuals, run.Residual > it.Tolerance
	switch {
	case !(run.Residual <= 1e-2):
		return run.X, fmt.Errorf("after %d iterations the residual is %.1e of the right side: the system is badly conditioned (about %.1e); give a ridge (`ridge 1`), a smaller gamma, or a larger rank", run.Iterations, run.Residual, run.Condition)
	case run.Residual > it.Tolerance:
		s.report.Note(fmt.Sprintf("after %d iterations the residual is %.1e of the right side, above the tolerance %.0e (condition number at least %.1e)", run.Iterations, run.Residual, it.Tolerance, run.Condition))
	}
	return run.X, nil
}

// run solves one system, the random right side with it if it is wanted.
func (it *iterative) run(ctx context.Context, r blas64.General, ridge float64, probe bool) (*minres.Solution, error) {
	room := stream.NewMatrix(0, 0)
	right := dense.Columns(r, 0, r.Cols-probeColumns)
	if probe {
		right = r
	}
	if ridge > 0 {
		room = stream.NewMatrix(right.Rows, right.Cols)
		squared := stream.NewMatrix(right.Rows, right.Cols)
		if err := it.system.multiply(ctx, right, squared); err != nil {
			return nil, err
		}
		it.mask(squared)
		right = squared
	}
	h := definite(it.Gamma, ridge)
	m := minres.Solver{
		Tolerance: it.Tolerance, Iterations: it.Iterations, Probe: probe,
		Multiply: func(ctx context.Context, x, ax blas64.General) error { return it.multiply(ctx, ridge, x, ax, room) },
		Precondition: func(x, px blas64.General) {
			it.p.apply(h, x, px)
			it.mask(px)
		},
	}
	return m.Solve(ctx, right)
}

// leaveOut makes the decisions on what folds left out: rows of M that were masked,
// times their solutions.
func (it *iterative) leaveOut(ctx context.Context, x blas64.General, s *solution) error {
	n, k := it.targets.Rows, it.targets.Cols
	folds := dense.Clone(dense.Columns(x, 0, k*len(it.out)))
	said := stream.NewMatrix(folds.Rows, folds.Cols)
	if err := it.system.multiply(ctx, folds, said); err != nil {
		return err
	}
	s.heldOut = stream.NewMatrix(n, 2*k)
	for set, out := range it.out {
		for _, i := range out {
			row := dense.Row(s.heldOut, int(i))
			copy(row[:k], dense.Row(said, 2+int(i))[set*k:])
			copy(row[k:], dense.Row(said, 2+n+int(i))[set*k:])
		}
	}
	return nil
}
