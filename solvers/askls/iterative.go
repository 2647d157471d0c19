package askls

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/minres"
	"github.com/nystream/nystream/solvers/model"
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
	k, err := f.matrix(ctx, false)
	if err != nil {
		return nil, err
	}
	it := &iterative{fit: f, system: system{k: k, gamma: f.C}, out: [][]int64{nil}}
	for _, fold := range f.folds {
		it.out = append(it.out, fold.Test)
	}
	for range f.folds {
		it.system.scale = append(it.system.scale, filled(f.targets.Cols, f.foldScale())...)
	}
	it.system.scale = append(ones(f.targets.Cols), it.system.scale...)
	if it.p, err = f.preconditioner(ctx, s); err != nil {
		return nil, err
	}
	x, err := it.solve(ctx, it.rightSides(), s)
	if err != nil {
		return nil, err
	}
	s.report.SourcePasses++ // for K
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

// solve solves the plain system, or the ridge one where the plain one is singular to
// rounding, or where too few iterations tell which of the two it is.
func (it *iterative) solve(ctx context.Context, r blas64.General, s *solution) (x blas64.General, err error) {
	s.ridge = it.Ridge
	open := false // whether the plain system is singular
	if s.ridge == 0 {
		run, err := it.run(ctx, r, 0)
		if err != nil {
			return x, err
		}
		s.iterations, s.condition = run.Iterations, run.Condition
		if !run.Singular && (run.Regular || math.IsNaN(run.Residual)) {
			return it.finish(run, s)
		}
		s.ridge = fallbackRidge
		if open = !run.Singular && run.Iterations >= it.Iterations; open {
			s.report.Note(fmt.Sprintf("after %d iterations the plain system cannot be told from a singular one: the ridge system (M² + λI)x = Mr with λ = %v was solved instead; %s", s.iterations, s.ridge, it.remedy()))
		} else {
			s.report.Note(fallbackNote(s.condition, s.ridge))
		}
	}
	run, err := it.run(ctx, r, s.ridge)
	if err != nil {
		return x, err
	}
	s.iterations += run.Iterations
	if s.condition != s.condition {
		s.condition = run.Condition
	}
	x, err = it.finish(run, s)
	if open { // what the plain system would have decided is not known
		s.report.Unsettled = true
		s.report.Errors = nil
		s.report.Estimate(model.Estimate{Of: model.DecisionValues, Value: math.NaN(),
			Reason: "the plain system is possibly singular, and the ridge system was solved instead"})
	}
	return x, err
}

// remedy says why an iteration does not settle, and what to do.
func (it *iterative) remedy() string {
	rank := "a higher `rank`, "
	if it.data.explicit() {
		rank = "" // there is no approximation
	}
	return "singular values of the kernel matrix are close to 1/C, on either side of it; give a ridge (`ridge 1`), a smaller `C`, " +
		rank + "more `iterations`, or `engine dense`"
}

// finish reports the residual, and what it means.
func (it *iterative) finish(run *minres.Solution, s *solution) (blas64.General, error) {
	s.report.Residuals, s.report.Unsettled = run.Residuals, !(run.Residual <= it.Tolerance)
	if math.IsNaN(run.Residual) {
		return run.X, errors.New("the residual is not a number: the kernel overflows; scale the columns (`scale standard`), or change the kernel")
	}
	if s.report.Unsettled {
		s.report.Note(fmt.Sprintf("after %d iterations the residual is %.1e of the right side, above the tolerance %.0e (condition number at least %.1e): %s",
			s.iterations, run.Residual, it.Tolerance, run.Condition, it.remedy()))
	}
	s.report.Estimate(model.Estimate{Of: model.DecisionValues, Value: min(1, run.Residual*run.Condition),
		From: "the residual and the condition number of the iteration"})
	return run.X, nil
}

// run solves one system: the plain one with the random right side, or the ridge one.
func (it *iterative) run(ctx context.Context, r blas64.General, ridge float64) (*minres.Solution, error) {
	room, right := stream.NewMatrix(0, 0), r
	if ridge > 0 {
		right = dense.Columns(r, 0, r.Cols-probeColumns)
		room = stream.NewMatrix(right.Rows, right.Cols)
		squared := stream.NewMatrix(right.Rows, right.Cols)
		if err := it.system.multiply(ctx, right, squared); err != nil {
			return nil, err
		}
		it.mask(squared)
		right = squared
	}
	h := definite(it.C, ridge)
	m := minres.Solver{
		Tolerance: it.Tolerance, Iterations: it.Iterations, Probe: ridge == 0,
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
