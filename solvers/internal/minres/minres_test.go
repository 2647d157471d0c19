package minres

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// normal returns standard normal entries.
func normal(rows, cols int, seed uint64) blas64.General {
	m := matrix.New(rows, cols)
	random := sketch.NewRandom(seed, "minres test")
	for i := range m.Data {
		d := random.At(uint64(i))
		m.Data[i] = d.Normal()
	}
	return m
}

// withEigenvalues returns a symmetric matrix with random eigenvectors.
func withEigenvalues(values []float64) blas64.General {
	q := householder.QR(normal(len(values), len(values), 1)).Thin()
	scaled := matrix.Clone(q)
	dense.ScaleColumns(scaled, values)
	return dense.SymmetricPart(dense.Mul(blas.NoTrans, scaled, blas.Trans, q))
}

// indefinite returns eigenvalues of both signs with magnitudes from 1 to last.
func indefinite(n int, last float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Pow(last, float64(i)/float64(n-1)) * float64(1-2*(i%2))
	}
	return values
}

// solver returns a solver for a matrix in memory, without preconditioner.
func solver(a blas64.General) Solver {
	return Solver{Tolerance: 1e-12, Iterations: 2000,
		Multiply: func(_ context.Context, x, ax blas64.General) error {
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, a, x, 0, ax)
			return nil
		},
		Precondition: func(x, px blas64.General) {
			for i := range x.Rows {
				copy(matrix.Row(px, i), matrix.Row(x, i))
			}
		}}
}

// solve solves for r, and fails the test on an error.
func solve(t *testing.T, s Solver, r blas64.General) *Solution {
	t.Helper()
	got, err := s.Solve(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// off returns the largest difference from the solutions by gonum's LU.
func off(t *testing.T, a, r, x blas64.General) float64 {
	t.Helper()
	var m, right, want mat.Dense
	m.SetRawMatrix(a)
	right.SetRawMatrix(matrix.Clone(r))
	if err := want.Solve(&m, &right); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i := range x.Rows {
		for j, v := range matrix.Row(x, i) {
			worst = max(worst, math.Abs(v-want.At(i, j)))
		}
	}
	return worst
}

// TestIndefinite solves an indefinite system for right sides of very different norms, one of them zero.
func TestIndefinite(t *testing.T) {
	a, r := withEigenvalues(indefinite(60, 300)), normal(60, 4, 2)
	dense.ScaleColumns(r, []float64{1, 1e-6, 0, 1e6})
	got := solve(t, solver(a), r)
	dense.ScaleColumns(r, []float64{1, 1e6, 1, 1e-6})
	dense.ScaleColumns(got.X, []float64{1, 1e6, 1, 1e-6})
	if worst := off(t, a, r, got.X); worst > 1e-9 || got.Residual > 1e-12 {
		t.Errorf("off by %v, residual %v", worst, got.Residual)
	}
	if got.Condition < 50 || got.Condition > 400 {
		t.Errorf("condition %v of a matrix that has 300", got.Condition)
	}
}

// TestPreconditioned: with the preconditioner |A|⁻¹ the solver takes a step for each sign, and another to restart from
// rounding errors.
func TestPreconditioned(t *testing.T) {
	values := make([]float64, 50)
	for i := range values {
		values[i] = math.Pow(10, float64(i)/7) * float64(1-2*(i%2))
	}
	s := solver(blas64.General{})
	s.Multiply = func(_ context.Context, x, ax blas64.General) error {
		for i, v := range values {
			for c, w := range matrix.Row(x, i) {
				matrix.Row(ax, i)[c] = v * w
			}
		}
		return nil
	}
	s.Precondition = func(x, px blas64.General) {
		for i, v := range values {
			for c, w := range matrix.Row(x, i) {
				matrix.Row(px, i)[c] = w / math.Abs(v)
			}
		}
	}
	r := normal(50, 3, 3)
	got := solve(t, s, r)
	if got.Iterations > 6 || got.Residual > 1e-12 {
		t.Errorf("%d iterations, residual %v", got.Iterations, got.Residual)
	}
	for i, v := range values {
		for c, w := range matrix.Row(r, i) {
			if d := math.Abs(matrix.Row(got.X, i)[c]*v/w - 1); d > 1e-6 {
				t.Fatalf("row %d, column %d is off by %v", i, c, d)
			}
		}
	}
}

// TestSingular: for a singular matrix, right sides in its range are solved, and others keep a residual.
func TestSingular(t *testing.T) {
	values := indefinite(40, 30)
	values[0] = 0
	a, r := withEigenvalues(values), normal(40, 2, 4)
	if got := solve(t, solver(a), dense.Mul(blas.NoTrans, a, blas.NoTrans, r)); got.Residual > 1e-12 {
		t.Errorf("residual %v in the range", got.Residual)
	}
	got := solve(t, solver(a), r)
	if got.Residual < 0.01 || !dense.Finite(got.X) || got.Iterations >= 2000 {
		t.Errorf("residual %v after %d iterations, %v", got.Residual, got.Iterations, got.X)
	}
}

// TestIterations: the solver stops at the limit of iterations, with true residuals.
func TestIterations(t *testing.T) {
	a, r := withEigenvalues(indefinite(60, 1e4)), normal(60, 2, 6)
	s := solver(a)
	s.Iterations = 10
	got := solve(t, s, r)
	left := matrix.Clone(r)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, a, got.X, 1, left)
	want := max(dense.ColumnNorms(left)[0]/dense.ColumnNorms(r)[0], dense.ColumnNorms(left)[1]/dense.ColumnNorms(r)[1])
	if got.Iterations != 10 || math.Abs(got.Residual-want) > 1e-12 || want < 0.01 {
		t.Errorf("%d iterations, residual %v, which is %v", got.Iterations, got.Residual, want)
	}
}

// TestError: an error of the product ends the iteration.
func TestError(t *testing.T) {
	s, broken := solver(withEigenvalues(indefinite(9, 5))), errors.New("broken")
	multiply, count := s.Multiply, 0
	s.Multiply = func(ctx context.Context, x, ax blas64.General) error {
		if count++; count > 3 {
			return broken
		}
		return multiply(ctx, x, ax)
	}
	if _, err := s.Solve(t.Context(), normal(9, 1, 7)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
