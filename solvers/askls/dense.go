package askls

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// formed is engine dense: it forms the system of all samples, and of each fold, and factors it.
func (f *fit) formed(ctx context.Context) (*solution, error) {
	k, err := f.matrix(ctx, true)
	if err != nil {
		return nil, err
	}
	s, err := f.solveFormed(k.Held())
	if err != nil {
		return nil, err
	}
	s.report.KernelEntries, s.report.SourcePasses = k.Entries(), 1
	if f.Merge == MergeStack {
		s.heldOut, err = f.leaveOutFormed(k.Held(), s.ridge)
	}
	s.expand(k)
	return s, err
}

// solveFormed solves the system of all samples: the ridge system if the plain one is singular.
func (f *fit) solveFormed(k blas64.General) (*solution, error) {
	s := newSolution()
	s.ridge = f.Ridge
	m := bordered(k, ones(k.Rows), ones(k.Rows), f.C)
	factors, err := factor(m, s.ridge)
	if s.ridge == 0 && errors.Is(err, errSingular) {
		s.condition, s.ridge = factors.condition, fallbackRidge
		s.report.Note(fallbackNote(s.condition, s.ridge))
		factors, err = factor(m, s.ridge)
	}
	if err != nil {
		return nil, err
	}
	if math.IsNaN(s.condition) {
		s.condition = factors.condition
	}
	r := rightSide(f.targets)
	x := factors.solve(r)
	s.report.Residuals = factors.residuals(x, r)
	s.take(x)
	return s, nil
}

// leaveOutFormed solves the system without each fold, and decides on the samples of the fold.
func (f *fit) leaveOutFormed(k blas64.General, ridge float64) (blas64.General, error) {
	n, classes := f.targets.Rows, f.targets.Cols
	heldOut := stream.NewMatrix(n, 2*classes)
	for number, fold := range f.folds {
		rows := dense.PickRows(k, fold.Train)
		dense.ScaleRows(rows, filled(rows.Rows, f.foldScale()))
		part := dense.PickColumns(rows, fold.Train)
		factors, err := factor(bordered(part, ones(part.Rows), ones(part.Rows), f.C), ridge)
		if err != nil {
			return heldOut, fmt.Errorf("the system without fold %d: %w: give a ridge (`ridge 1`), or another `C`", number, err)
		}
		x := partsOf(factors.solve(rightSide(dense.PickRows(f.targets, fold.Train))))
		out := dense.PickColumns(dense.PickRows(k, fold.Test), fold.Train)
		dense.ScaleRows(out, filled(out.Rows, f.foldScale()))
		source := dense.Mul(blas.NoTrans, out, blas.NoTrans, x.b)
		target := dense.Mul(blas.Trans, dense.PickColumns(rows, fold.Test), blas.NoTrans, x.a)
		for i, sample := range fold.Test {
			both := dense.Row(heldOut, sample)
			for c := range classes {
				both[c] = dense.Row(source, i)[c] + x.b1[c]
				both[classes+c] = dense.Row(target, i)[c] + x.b2[c]
			}
		}
	}
	return heldOut, nil
}

// errSingular reports that a system is singular to rounding.
var errSingular = errors.New("the system is singular to rounding")

// singularCondition is the condition number from which on a system counts as singular:
// fewer than 3 digits of its solution would be right.
const singularCondition = 1e13

// factored is a symmetric system in memory, factored once for all right sides: M = P·L·U for the
// plain system, M² + λI = RᵀR for the ridge system.
type factored struct {
	m         blas64.General
	ridge     float64
	lu        blas64.General    // of M
	pivots    []int             // of M
	chol      blas64.Triangular // of M² + λI
	condition float64           // of M, or of M² + λI, in the 1-norm
}

// factor factors M, or M² + λI for a ridge above 0. Its error wraps errSingular if the condition
// number, which the result has, is too large. Cost: 2/3·N³ flops, or 4/3·N³, and a copy.
func factor(m blas64.General, ridge float64) (*factored, error) {
	f := &factored{m: m, ridge: ridge, condition: math.Inf(1)}
	overflows := errors.New("the system overflows: scale the kernel down, or take another `C`")
	if ridge == 0 {
		norm := lapack64.Lange(lapack.MaxColumnSum, m, make([]float64, m.Cols))
		if norm-norm != 0 {
			return nil, overflows
		}
		f.lu, f.pivots = dense.Clone(m), make([]int, m.Rows)
		if lapack64.Getrf(f.lu, f.pivots) {
			f.condition = 1 / lapack64.Gecon(lapack.MaxColumnSum, f.lu, norm, make([]float64, 4*m.Rows), make([]int, m.Rows))
		}
		if !(f.condition < singularCondition) {
			return f, fmt.Errorf("%w (condition number %.1e)", errSingular, f.condition)
		}
		return f, nil
	}
	square := blas64.Symmetric{N: m.Rows, Stride: m.Rows, Uplo: blas.Upper, Data: make([]float64, m.Rows*m.Rows)}
	blas64.Syrk(blas.NoTrans, 1, m, 0, square)
	for i := range m.Rows {
		square.Data[i*m.Rows+i] += ridge
	}
	norm := lapack64.Lansy(lapack.MaxColumnSum, square, make([]float64, m.Rows))
	if norm-norm != 0 {
		return nil, overflows
	}
	var definite bool
	if f.chol, definite = lapack64.Potrf(square); definite {
		f.condition = 1 / lapack64.Pocon(square, norm, make([]float64, 3*m.Rows), make([]int, m.Rows))
	}
	if !(f.condition < singularCondition) {
		return f, fmt.Errorf("the ridge system M² + λI has the condition number %.1e: λ = %v is too small for it", f.condition, ridge)
	}
	return f, nil
}

// solve returns the solution for right sides r, with one step of iterative refinement.
func (f *factored) solve(r blas64.General) blas64.General {
	x := f.right(r)
	left := dense.Clone(x)
	f.apply(x)
	f.subtract(x, left)
	f.apply(left)
	for i := range x.Rows {
		dense.Axpy(1, dense.Row(left, i), dense.Row(x, i))
	}
	return x
}

// right returns the right sides of the system that is factored: r, or M·r with a ridge.
func (f *factored) right(r blas64.General) blas64.General {
	if f.ridge > 0 {
		return dense.Mul(blas.NoTrans, f.m, blas.NoTrans, r)
	}
	return dense.Clone(r)
}

// subtract subtracts the matrix times x from left.
func (f *factored) subtract(x, left blas64.General) {
	if f.ridge == 0 {
		dense.Gemm(blas.NoTrans, blas.NoTrans, -1, f.m, x, 1, left)
		return
	}
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, f.m, dense.Mul(blas.NoTrans, f.m, blas.NoTrans, x), 1, left)
	for i := range x.Rows {
		dense.Axpy(-f.ridge, dense.Row(x, i), dense.Row(left, i))
	}
}

// apply solves with the factors in place.
func (f *factored) apply(x blas64.General) {
	if f.ridge > 0 {
		lapack64.Potrs(f.chol, x)
		return
	}
	lapack64.Getrs(blas.NoTrans, f.lu, x, f.pivots)
}

// residuals returns the relative residual of each column of x.
func (f *factored) residuals(x, r blas64.General) []float64 {
	right := f.right(r)
	left := dense.Clone(right)
	f.subtract(x, left)
	ratios, all := dense.ColumnNorms(left), dense.ColumnNorms(right)
	for c, v := range ratios {
		if v != 0 {
			ratios[c] = v / all[c]
		}
	}
	return ratios
}

func ones(n int) []float64 { return filled(n, 1) }

func filled(n int, value float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = value
	}
	return v
}
