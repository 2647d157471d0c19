package askls

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/ksvd"
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
	smallest       float64 // smallest |eigenvalue| of M; NaN if not known
	residual       float64 // largest ‖r − Mx‖/‖r‖ of a class; NaN if not known
	iterations     int
	rank           int
	entries        int64
	passes         int
	notes          []string
}

// expand makes functions of a row of the duals.
func (s *solution) expand(k matrix) {
	if rows, ok := k.(*ksvd.Matrix); ok {
		s.functions = rows.Functions(s.source, s.target)
	}
}

// fallbackNote says that a plain system was singular.
func fallbackNote(condition, ridge float64) string {
	return fmt.Sprintf("the system is singular (condition number %.1e): the ridge system (M² + λI)x = Mr with λ = %v was solved instead (--ridge)", condition, ridge)
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
		s.notes = append(s.notes, fallbackNote(s.condition, ridge))
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
	k, err := newMatrix(ctx, f.engine, f.data, true)
	if err != nil {
		return nil, err
	}
	held := k.Held()
	var s *solution
	if f.Symmetry == Asymmetric {
		s, err = f.asymmetric(held)
	} else {
		s, err = f.symmetric(held)
	}
	if err != nil {
		return nil, err
	}
	s.entries = k.Entries()
	s.expand(k)
	return s, nil
}

// asymmetric solves the system of AsK-LS.
func (f *fit) asymmetric(k blas64.General) (*solution, error) {
	n := k.Rows
	m, r := bordered(k, ones(n), ones(n), f.Gamma), rightSide(f.targets)
	factors, s, err := factorOr(m, f.Ridge)
	if err != nil {
		return nil, err
	}
	x, u := factors.solve(r)
	parts := partsOf(x)
	s.source, s.target, s.biases = parts.b, parts.a, [2][]float64{parts.b1, parts.b2}
	s.residual = factors.residual(x, r)
	if f.Merge != MergeStack {
		return s, nil
	}
	if scale := f.foldScale(); scale != 1 {
		scaled := dense.Clone(k)
		dense.ScaleRows(scaled, filled(n, scale))
		again, _, err := factorOr(bordered(scaled, ones(n), ones(n), f.Gamma), s.ridge)
		if err != nil {
			return nil, err
		}
		if factors = again; factors.ridge != s.ridge {
			return nil, fmt.Errorf("the system that folds are left out of is singular: give a ridge (--ridge 1), or another gamma")
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
			return heldOut, fmt.Errorf("%w: give a ridge (--ridge 1), or another gamma", err)
		}
		for i, row := range fold.Test {
			both := dense.Row(heldOut, int(row))
			copy(both, dense.Row(said, i))
			copy(both[r.Cols:], dense.Row(said, len(fold.Test)+i))
		}
	}
	return heldOut, nil
}

// symmetric solves the LS-SVM of a kernel made symmetric, [0 1ᵀ; 1 I/γ + K]: half the
// system of AsK-LS, which it is for a symmetric kernel (paper, Proposition 2).
func (f *fit) symmetric(k blas64.General) (*solution, error) {
	gram := f.Symmetry.of(k)
	n := gram.Rows
	m, r := stream.NewMatrix(n+1, n+1), stream.NewMatrix(n+1, f.targets.Cols)
	copyInto(stream.RowSlice(r, 1, n), f.targets)
	for i := range n {
		set(m, 0, 1+i, 1)
		copy(dense.Row(m, 1+i)[1:], dense.Row(gram, i))
		m.Data[(1+i)*m.Stride+1+i] += 1 / f.Gamma
	}
	factors, s, err := factorOr(m, f.Ridge)
	if err != nil {
		return nil, err
	}
	x, _ := factors.solve(r)
	s.residual = factors.residual(x, r)
	alpha, bias := stream.RowSlice(x, 1, n), dense.Row(x, 0)
	s.biases = [2][]float64{bias, bias}
	s.source, s.target = alpha, alpha
	switch f.Symmetry {
	case SourceGram: // K(x, ·)·Kᵀα
		s.source = dense.Mul(blas.Trans, k, blas.NoTrans, alpha)
		s.target = stream.NewMatrix(n, alpha.Cols)
	case TargetGram:
		s.target = dense.Mul(blas.NoTrans, k, blas.NoTrans, alpha)
		s.source = stream.NewMatrix(n, alpha.Cols)
	}
	return s, nil
}

// of is the symmetric kernel matrix.
func (s Symmetry) of(k blas64.General) blas64.General {
	switch s {
	case SourceGram:
		return dense.Mul(blas.NoTrans, k, blas.Trans, k)
	case TargetGram:
		return dense.Mul(blas.Trans, k, blas.NoTrans, k)
	}
	return dense.SymmetricPart(k)
}

// merge is how the two functions of a machine with a symmetric kernel become its one.
func (s Symmetry) merge(m Merge) Merge {
	switch s {
	case MeanKernel:
		return MergeAverage
	case SourceGram:
		return MergeSource
	case TargetGram:
		return MergeTarget
	}
	return m
}

func ones(n int) []float64 { return filled(n, 1) }

func filled(n int, value float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = value
	}
	return v
}
