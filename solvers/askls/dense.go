package askls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// formed is the dense engine: it forms the system of all samples and factors it.
func (f *fit) formed(ctx context.Context) (*solution, error) {
	k, err := newMatrix(ctx, f.engine, f.data, f.kernel, true)
	if err != nil {
		return nil, err
	}
	s, err := f.solveFormed(k.Held())
	if err != nil {
		return nil, err
	}
	s.report.KernelEntries, s.report.SourcePasses = k.Entries(), 1
	s.expand(k)
	return s, nil
}

// solveFormed solves the system of all samples, or the ridge system if the plain one is singular.
func (f *fit) solveFormed(k blas64.General) (*solution, error) {
	s := newSolution()
	s.ridge = f.Ridge
	m := bordered(k, onesVector(k.Rows), onesVector(k.Rows), f.C)
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
	if f.Merge == MergeStack {
		if s.heldOut, err = f.leaveOutFormed(k, factors, s.ridge); err != nil {
			return nil, fmt.Errorf("%w: give a ridge (`Ridge 1`), or another `C`", err)
		}
	}
	return s, nil
}

// leaveOutFormed returns out-of-fold decisions: those on each fold, learnt from the other samples. Let Z be the inverse
// of M, x = Z·r, F the rows of a fold and x_C the solution of the system of the others. Z_FF is the inverse of the
// Schur complement of M_CC, and so the decisions are
//
//	M_FC·x_C = r_F − Z_FF⁻¹·x_F
//
// (Cawley 2006, "Leave-one-out cross-validation based model selection criteria for weighted LS-SVMs").
// It overwrites the factors. Cost: 4/3·N³ flops, and one factorisation for each fold.
func (f *fit) leaveOutFormed(k blas64.General, all *factoredSystem, ridge float64) (heldOut blas64.General, err error) {
	n, classes := f.targets.Rows, f.targets.Cols
	if scale := f.foldScale(); scale != 1 {
		scaled := matrix.Clone(k)
		dense.Scale(scale, scaled)
		if all, err = factor(bordered(scaled, onesVector(n), onesVector(n), f.C), ridge); err != nil {
			return heldOut, err
		}
	}
	inverse, r := all.invert(), rightSide(f.targets)
	u, x := dense.Mul(blas.NoTrans, inverse, blas.NoTrans, r), dense.Mul(blas.NoTrans, inverse, blas.NoTrans, all.right(r))
	heldOut = matrix.New(n, 2*classes)
	for number, fold := range f.folds {
		size := len(fold.Test)
		rows := make([]int, 2*size)
		for i, sample := range fold.Test {
			rows[i], rows[size+i] = 2+int(sample), 2+n+int(sample)
		}
		block, right := all.partOfInverse(inverse, u, x, rows)
		part, err := factor(block, 0)
		if err != nil {
			return heldOut, fmt.Errorf("without fold %d %w", number, err)
		}
		y := part.solve(right)
		for i, sample := range fold.Test {
			row := matrix.Row(heldOut, int(sample))
			for c, v := range matrix.Row(f.targets, int(sample)) {
				row[c] = v - matrix.Row(y, i)[c]
				row[classes+c] = v - matrix.Row(y, size+i)[c]
			}
		}
	}
	return heldOut, nil
}

// errSingular reports a numerically singular system.
var errSingular = errors.New("the system is singular to rounding")

// singularCondition is the condition number at which a system counts as singular: fewer than 3 digits of its solution
// would be correct.
const singularCondition = 1e13

// factoredSystem is a symmetric system in memory, factored once for all right sides: M, or M² + λI.
type factoredSystem struct {
	m         blas64.General // M
	ridge     float64
	a         blas64.General // the factored matrix
	lu        blas64.General
	pivots    []int
	condition float64 // of a, in the 1-norm
}

// factor factors M, or M² + λI for a positive ridge λ. If the condition number of M is too large, the error wraps
// errSingular, and the result has only the condition number. Cost: 2/3·N³ flops, 2·N³ more with a ridge, and memory for
// two copies.
func factor(m blas64.General, ridge float64) (*factoredSystem, error) {
	f := &factoredSystem{m: m, ridge: ridge, a: m, pivots: make([]int, m.Rows), condition: math.Inf(1)}
	if ridge > 0 {
		f.a = dense.Mul(blas.NoTrans, m, blas.NoTrans, m)
		for i := range m.Rows {
			f.a.Data[i*f.a.Stride+i] += ridge
		}
	}
	norm := lapack64.Lange(lapack.MaxColumnSum, f.a, make([]float64, m.Cols))
	if !matrix.IsFinite(norm) {
		return nil, errors.New("the system overflows: scale the kernel down, or take another `C`")
	}
	f.lu = matrix.Clone(f.a)
	if lapack64.Getrf(f.lu, f.pivots) {
		f.condition = 1 / lapack64.Gecon(lapack.MaxColumnSum, f.lu, norm, make([]float64, 4*m.Rows), make([]int, m.Rows))
	}
	switch {
	case f.condition < singularCondition:
		return f, nil
	case ridge > 0:
		return f, fmt.Errorf("the ridge system M² + λI has the condition number %.1e: λ = %v is too small for it", f.condition, ridge)
	}
	return f, fmt.Errorf("%w (condition number %.1e)", errSingular, f.condition)
}

// solve returns the solution for right sides r, with one step of iterative refinement.
func (f *factoredSystem) solve(r blas64.General) blas64.General {
	x := f.right(r)
	left := matrix.Clone(x)
	lapack64.Getrs(blas.NoTrans, f.lu, x, f.pivots)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, f.a, x, 1, left)
	lapack64.Getrs(blas.NoTrans, f.lu, left, f.pivots)
	dense.Add(1, left, x)
	return x
}

// right returns the right sides of the factored system: r, or M·r with a ridge.
func (f *factoredSystem) right(r blas64.General) blas64.General {
	if f.ridge > 0 {
		return dense.Mul(blas.NoTrans, f.m, blas.NoTrans, r)
	}
	return matrix.Clone(r)
}

// invert returns the inverse of the factored matrix, in the memory of its factors. Cost: 4/3·N³ flops.
func (f *factoredSystem) invert() blas64.General {
	work := make([]float64, 64*f.lu.Rows)
	lapack64.Getri(f.lu, f.pivots, work, len(work)) // cannot fail: factor refuses singular matrices
	return f.lu
}

// partOfInverse returns Z_FF and x_F of the rows F of a fold, given the inverse of the factored matrix. With a ridge it
// returns those of the rows F of both halves of the system
//
//	[√λI   M  ]   [√λu]   [r]
//	[M   −√λI ] · [ x ] = [0]
//
// whose inverse is its matrix times (M² + λI)⁻¹: there x is the solution of the ridge system.
func (f *factoredSystem) partOfInverse(inverse, u, x blas64.General, rows []int) (block, right blas64.General) {
	n := len(rows)
	right = dense.PickRows(x, rows)
	if f.ridge == 0 {
		block = matrix.New(n, n)
		for i, row := range rows {
			copy(matrix.Row(block, i), dense.Pick(matrix.Row(inverse, row), rows))
		}
		return block, right
	}
	part := dense.PickRows(inverse, rows)
	product := dense.Mul(blas.NoTrans, dense.PickRows(f.m, rows), blas.Trans, part) // of M·(M² + λI)⁻¹
	block, root := matrix.New(2*n, 2*n), math.Sqrt(f.ridge)
	both := matrix.New(2*n, x.Cols)
	copyInto(matrix.Rows(both, n, n), right)
	for i, row := range rows {
		matrix.Axpy(root, matrix.Row(u, row), matrix.Row(both, i))
		for j, v := range dense.Pick(matrix.Row(part, i), rows) {
			setMirrored(block, i, n+j, product.Data[i*product.Stride+j])
			block.Data[i*2*n+j], block.Data[(n+i)*2*n+n+j] = root*v, -root*v
		}
	}
	return block, both
}

// residuals returns the relative residual of each column of x.
func (f *factoredSystem) residuals(x, r blas64.General) []float64 {
	right := f.right(r)
	left := matrix.Clone(right)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, f.a, x, 1, left)
	ratios, all := dense.ColumnNorms(left), dense.ColumnNorms(right)
	for c, v := range ratios {
		if v != 0 {
			ratios[c] = v / all[c]
		}
	}
	return ratios
}

func onesVector(n int) []float64 { return slices.Repeat([]float64{1}, n) }
