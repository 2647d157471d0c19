package lowrank

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// choices are the rules for landmarks.
var choices = map[string]Rule{"uniform": RuleUniform, "pivoted": RulePivoted}

// denseNystrom returns K(·, L)·W⁻¹·K(L, ·) by solving with W.
func denseNystrom(t *testing.T, k kernelgen.Kernel, x, landmarks blas64.General) blas64.General {
	t.Helper()
	c, w := kernelMatrix(k, x, landmarks), kernelMatrix(k, landmarks, landmarks)
	var solved mat.Dense
	if err := solved.Solve(matDense(w), matDense(c).T()); err != nil {
		t.Fatal(err)
	}
	return dense.Mul(blas.NoTrans, c, blas.NoTrans, solved.RawMatrix())
}

// full returns dense Â of a fit of the rows of x.
func full(t *testing.T, f *Fit, x blas64.General) blas64.General {
	t.Helper()
	u := factors(t, f.Model, f.Left, x)
	return approximation(f.Model, u, u)
}

// lowestEigenvalue returns the smallest eigenvalue of a symmetric matrix.
func lowestEigenvalue(t *testing.T, a blas64.General) float64 {
	t.Helper()
	eig, err := newEigen("test matrix", a)
	if err != nil {
		t.Fatal(err)
	}
	return eig.Values[len(eig.Values)-1]
}

// TestNystromAgainstDense: Â equals the dense formula and A in the columns of the landmarks. Both Â and A − Â are
// positive semi-definite.
func TestNystromAgainstDense(t *testing.T) {
	t.Parallel()
	x := clusters(200, 4, 3)
	src := stream.FromMatrix("x", x)
	for _, text := range []string{"rbf(gamma=2)", "laplace(gamma=1)", "1e200*rbf(gamma=4)", "1e-200*matern32(length=1)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		a := kernelMatrix(k, x, x)
		norm := a.Data[0] * float64(x.Rows) // k(x, x) is the same for all x
		for name, choice := range choices {
			f, err := Nystrom{Rank: 24, Rule: choice, Seed: 5}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
			if err != nil {
				t.Fatal(err)
			}
			if f.Method != "nystrom" || f.Shift != 0 || len(f.Values) != 24 || f.Left.Landmarks.Rows != 24 {
				t.Errorf("%s, %s: %s with %d values, %d landmarks and shift %g", text, name, f.Method, len(f.Values), f.Left.Landmarks.Rows, f.Shift)
			}
			got := full(t, f, x)
			if e := dense.Frobenius(scaled(difference(got, denseNystrom(t, k, x, f.Left.Landmarks)), 1/norm)); !(e <= 1e-12) {
				t.Errorf("%s, %s: %g away from the dense formula", text, name, e)
			}
			for _, r := range f.Left.Rows {
				for i := range x.Rows {
					if d := got.Data[i*got.Stride+int(r)] - a.Data[i*a.Stride+int(r)]; !(math.Abs(d) <= 1e-11*a.Data[0]) {
						t.Fatalf("%s, %s: entry (%d, %d) of a landmark is off by %g", text, name, i, r, d)
					}
				}
			}
			for what, m := range map[string]blas64.General{"Â": got, "A − Â": difference(a, got)} {
				if v := lowestEigenvalue(t, scaled(m, 1/norm)); v < -1e-14 {
					t.Errorf("%s, %s: %s has the eigenvalue %g of its norm", text, name, what, v)
				}
			}
			for i, v := range f.Values {
				if v < 0 || i > 0 && v > f.Values[i-1] {
					t.Errorf("%s, %s: value %d is %g", text, name, i, v)
				}
			}
		}
	}
}

// TestNystromFewRows: there are at most as many landmarks as rows, and all rows give A itself.
func TestNystromFewRows(t *testing.T) {
	t.Parallel()
	x := clusters(12, 3, 4)
	src := stream.FromMatrix("x", x)
	k := kernelgen.RBF(3)
	a := kernelMatrix(k, x, x)
	for name, choice := range choices {
		for _, rank := range []int{12, 20} {
			f, err := Nystrom{Rank: rank, Rule: choice, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
			if err != nil {
				t.Fatal(err)
			}
			if e := dense.Frobenius(difference(full(t, f, x), a)); !(e <= 1e-9) {
				t.Errorf("%s, rank %d: error %g", name, rank, e)
			}
			if noted := strings.Contains(strings.Join(f.Notes, "\n"), "there are 12 rows"); noted != (rank > 12) {
				t.Errorf("%s, rank %d: notes %q", name, rank, f.Notes)
			}
			for _, e := range f.Estimates { // all rows are known
				if !(e.Value <= 1e-13) {
					t.Errorf("%s, rank %d: the %s is %g off, estimated", name, rank, e.Quantity, e.Value)
				}
			}
		}
		for _, rank := range []int{0, -1} {
			if _, err := (Nystrom{Rank: rank, Rule: choice}).Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k); err == nil {
				t.Errorf("%s: rank %d is taken", name, rank)
			}
		}
	}
}

// unbalanced returns rows, most of them near one centre: uniform landmarks miss the others.
func unbalanced(n int, seed uint64) blas64.General {
	x := clusters(n, 3, seed)
	return filled(n, 3, func(i, j int) float64 {
		if i%50 > 0 {
			return 1e-2 * x.Data[i*3+j]
		}
		return x.Data[i*3+j] * 5
	})
}

// TestChoices: on average, pivoted landmarks leave a smaller trace residual than uniform ones.
func TestChoices(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	x := unbalanced(600, 3)
	src := stream.FromMatrix("x", x)
	k := kernelgen.RBF(1)
	a := kernelMatrix(k, x, x)
	mean := map[string]float64{}
	for name, choice := range choices {
		for seed := range uint64(10) {
			f, err := Nystrom{Rank: 20, Rule: choice, Seed: seed}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
			if err != nil {
				t.Fatal(err)
			}
			mean[name] += dense.Trace(difference(a, full(t, f, x))) / dense.Trace(a) / 10
		}
	}
	t.Logf("mean of tr(A−Â)/tr(A): %v", mean)
	if !(mean["pivoted"] < 0.5*mean["uniform"]) {
		t.Errorf("mean of tr(A−Â)/tr(A): %v", mean)
	}
}
