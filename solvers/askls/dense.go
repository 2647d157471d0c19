package askls

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// solution is what an engine finds.
type solution struct {
	// Functions of a row: coefficients of K(x, ·) and of K(·, x), and biases.
	source, target blas64.General
	biases         [2][]float64
	functions      *ksvd.Model    // f_s and f_t without biases; nil for an explicit matrix
	heldOut        blas64.General // n×2k: f_s and f_t of every sample by a machine that has not seen it
	ridge          float64
	condition      float64
	iterations     int
	rank           int
	report         model.Report
}

// expand makes functions of a row from the duals.
func (s *solution) expand(k matrix) {
	if rows, ok := k.(*ksvd.Matrix); ok {
		s.functions = rows.Functions(s.source, s.target)
	}
}

// fallbackNote returns a sentence for a plain system that was singular.
func fallbackNote(condition, ridge float64) string {
	return fmt.Sprintf("the system is singular (condition number %.1e): the ridge system (M² + λI)x = Mr with λ = %v was solved instead (`ridge`)", condition, ridge)
}

// fallbackRidge is λ where a plain system is singular.
const fallbackRidge = 1

// factorOr factors the plain system, or that with a ridge if there is one or if the
// plain one is singular.
func factorOr(m blas64.General, ridge float64) (f *factored, s *solution, err error) {
	s = newSolution()
	if ridge == 0 {
		f, err = factorPlain(m)
		s.condition = f.reported()
		if err == nil || !errors.Is(err, errSingular) {
			return f, s, err
		}
		ridge = fallbackRidge
		s.report.Note(fallbackNote(s.condition, ridge))
		f = nil
	}
	s.ridge = ridge
	f, err = factorRidge(m, ridge)
	if s.condition != s.condition {
		s.condition = f.reported()
	}
	return f, s, err
}

// formed solves with K formed.
func (f *fit) formed(ctx context.Context) (*solution, error) {
	k, err := f.matrix(ctx, true)
	if err != nil {
		return nil, err
	}
	held := k.Held()
	s, err := f.solveFormed(held)
	if err != nil {
		return nil, err
	}
	s.report.KernelEntries, s.report.SourcePasses = k.Entries(), 1
	s.expand(k)
	return s, nil
}

// solveFormed solves the system.
func (f *fit) solveFormed(k blas64.General) (*solution, error) {
	n := k.Rows
	m, r := bordered(k, ones(n), ones(n), f.C), rightSide(f.targets)
	factors, s, err := factorOr(m, f.Ridge)
	if err != nil {
		return nil, err
	}
	x, u := factors.solve(r)
	parts := partsOf(x)
	s.source, s.target, s.biases = parts.b, parts.a, [2][]float64{parts.b1, parts.b2}
	s.report.Residuals = factors.residuals(x, r)
	if f.Merge != MergeStack {
		return s, nil
	}
	if scale := f.foldScale(); scale != 1 {
		scaled := dense.Clone(k)
		dense.ScaleRows(scaled, filled(n, scale))
		again, _, err := factorOr(bordered(scaled, ones(n), ones(n), f.C), s.ridge)
		if err != nil {
			return nil, err
		}
		if factors = again; factors.ridge != s.ridge {
			return nil, errors.New("the system that folds are left out of is singular: give a ridge (`ridge 1`), or another `C`")
		}
		x, u = factors.solve(r)
	}
	s.heldOut, err = f.leaveOut(factors, r, x, u)
	return s, err
}

// leaveOut makes the decisions on the samples of each fold by the machine of the others.
func (f *fit) leaveOut(factors *factored, r, x, u blas64.General) (blas64.General, error) {
	n := f.targets.Rows
	heldOut := stream.NewMatrix(n, 2*r.Cols)
	if err := factors.invert(); err != nil {
		return heldOut, err
	}
	for _, fold := range f.folds {
		out := make([]int, 0, 2*len(fold.Test))
		for _, i := range fold.Test {
			out = append(out, 2+int(i))
		}
		for _, i := range fold.Test {
			out = append(out, 2+n+int(i))
		}
		said, err := factors.leftOut(out, r, x, u)
		if err != nil {
			return heldOut, fmt.Errorf("%w: give a ridge (`ridge 1`), or another `C`", err)
		}
		for i, row := range fold.Test {
			both := dense.Row(heldOut, int(row))
			copy(both, dense.Row(said, i))
			copy(both[r.Cols:], dense.Row(said, len(fold.Test)+i))
		}
	}
	return heldOut, nil
}

func ones(n int) []float64 { return filled(n, 1) }

func filled(n int, value float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = value
	}
	return v
}
