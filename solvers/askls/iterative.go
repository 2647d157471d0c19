package askls

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/minres"
	"github.com/nystream/nystream/solvers/model"
)

// minresEngine is the iterative engine: MINRES for all classes at once, without forming the system. Stacking also
// solves for all folds at once. Their columns are 0 at held-out samples, so each tile of K serves all folds.
type minresEngine struct {
	*fit
	system  system
	p       *preconditioner
	heldOut [][]int64 // held-out samples of each set of k columns: none for the first
}

func (f *fit) iterative(ctx context.Context) (*solution, error) {
	s := newSolution()
	k, err := newMatrix(ctx, f.engine, f.data, f.kernel, false)
	if err != nil {
		return nil, err
	}
	it := &minresEngine{fit: f, system: system{k: k, gamma: f.C, scale: f.foldScale(), fullColumns: f.targets.Cols}, heldOut: [][]int64{nil}}
	for _, fold := range f.folds {
		it.heldOut = append(it.heldOut, fold.Test)
	}
	if it.p, err = f.preconditioner(ctx, s); err != nil {
		return nil, err
	}
	x, err := it.solve(ctx, s)
	if err != nil {
		return nil, err
	}
	s.report.SourcePasses++ // for K
	s.take(matrix.Clone(matrix.Columns(x, 0, f.targets.Cols)))
	if len(f.folds) > 0 {
		if err := it.leaveOut(ctx, x, s); err != nil {
			return nil, err
		}
	}
	s.report.KernelEntries += k.Entries()
	s.expand(k)
	return s, nil
}

// rightSides returns the right sides of all sets, and a random one if requested. The random one has a component in the
// null space of a singular system, which the labels need not have.
func (it *minresEngine) rightSides(random bool) blas64.General {
	one := rightSide(it.targets)
	k, columns := one.Cols, one.Cols*len(it.heldOut)
	if random {
		columns++
	}
	r, draws := matrix.New(one.Rows, columns), sketch.NewRandom(it.Seed, "askls probe")
	for i := range r.Rows {
		row := matrix.Row(r, i)
		for set := range it.heldOut {
			copy(row[set*k:], matrix.Row(one, i))
		}
		if random {
			draw := draws.At(uint64(i))
			row[columns-1] = draw.Normal()
		}
	}
	it.mask(r)
	return r
}

// mask clears the held-out samples of each fold.
func (it *minresEngine) mask(x blas64.General) {
	n, k := it.targets.Rows, it.targets.Cols
	for set, out := range it.heldOut {
		for _, i := range out {
			clear(matrix.Row(x, 2+int(i))[set*k : (set+1)*k])
			clear(matrix.Row(x, 2+n+int(i))[set*k : (set+1)*k])
		}
	}
}

// multiply multiplies by M without the held-out samples, or by its square plus the ridge.
func (it *minresEngine) multiply(ctx context.Context, ridge float64, x, ax, room blas64.General) error {
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
		matrix.Axpy(ridge, matrix.Row(x, i), matrix.Row(ax, i))
	}
	return nil
}

// solve solves the plain system, or the ridge system if there is a ridge. If the iteration does not converge for an
// explicit matrix, solve adds a ridge, since the plain system is often singular. For a kernel of rows it returns the
// last iterate: its residual is small, and a ridge would undo a large C.
func (it *minresEngine) solve(ctx context.Context, s *solution) (blas64.General, error) {
	s.ridge = it.Ridge
	r := it.rightSides(s.ridge == 0 && it.data.explicit())
	run, err := it.run(ctx, r, s.ridge)
	if err != nil {
		return r, err
	}
	s.iterations, s.condition = run.Iterations, run.Condition
	if s.ridge == 0 && run.Residual > it.ResidualTol && it.data.explicit() {
		s.ridge = fallbackRidge
		s.report.Note(fmt.Sprintf("the plain system is singular or nearly so (residual %.1e after %d iterations): the ridge system "+
			"(M² + λI)x = Mr with λ = %v was solved instead (`Ridge`)", run.Residual, run.Iterations, s.ridge))
		if run, err = it.run(ctx, it.rightSides(false), s.ridge); err != nil {
			return r, err
		}
		s.iterations += run.Iterations
	}
	if math.IsNaN(run.Residual) {
		return r, errors.New("the residual is not a number: the kernel overflows; scale the columns (`Treatment.Scale standard`), or change the kernel")
	}
	columns := it.targets.Cols * len(it.heldOut)
	s.report.Residuals, s.report.NotConverged = run.Residuals[:columns], run.Residual > it.ResidualTol
	if s.report.NotConverged {
		s.report.Warn(fmt.Sprintf("not converged: after %d iterations the residual is %.1e of the right side, above the tolerance %.0e; "+
			"singular values of the kernel matrix are close to 1/C; compare with `Algorithm dense` or `Algorithm lowrank`, give a ridge (`Ridge 1`), a smaller `C` or a higher `Rank`",
			s.iterations, run.Residual, it.ResidualTol))
	}
	s.report.AddEstimate(model.Estimate{Quantity: model.DecisionValues, Value: min(1, run.Residual*run.Condition),
		Evidence: "the residual and the condition number of the iteration"})
	return matrix.Clone(matrix.Columns(run.X, 0, columns)), nil
}

// run solves one system for the right sides r.
func (it *minresEngine) run(ctx context.Context, r blas64.General, ridge float64) (*minres.Solution, error) {
	room := matrix.New(r.Rows, r.Cols)
	if ridge > 0 {
		squared := matrix.New(r.Rows, r.Cols)
		if err := it.system.multiply(ctx, r, squared); err != nil {
			return nil, err
		}
		it.mask(squared)
		r = squared
	}
	h := definite(it.C, ridge)
	m := minres.Solver{
		Tolerance: it.ResidualTol, Iterations: it.Iterations,
		Multiply: func(ctx context.Context, x, ax blas64.General) error { return it.multiply(ctx, ridge, x, ax, room) },
		Precondition: func(x, px blas64.General) {
			it.p.apply(h, x, px)
			it.mask(px)
		},
	}
	return m.Solve(ctx, r)
}

// leaveOut computes the decisions on held-out samples: the masked rows of M times the solutions.
func (it *minresEngine) leaveOut(ctx context.Context, x blas64.General, s *solution) error {
	n, k := it.targets.Rows, it.targets.Cols
	said := matrix.New(x.Rows, x.Cols)
	if err := it.system.multiply(ctx, x, said); err != nil {
		return err
	}
	s.heldOut = matrix.New(n, 2*k)
	for set, out := range it.heldOut {
		for _, i := range out {
			row := matrix.Row(s.heldOut, int(i))
			copy(row[:k], matrix.Row(said, 2+int(i))[set*k:])
			copy(row[k:], matrix.Row(said, 2+n+int(i))[set*k:])
		}
	}
	return nil
}
