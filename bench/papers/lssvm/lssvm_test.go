package lssvm

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
)

var features = blas64.General{Rows: 6, Cols: 3, Stride: 3,
	Data: []float64{1, 2, 0, 2, 1, 1, 3, 5, -1, 4, 0, 2, 0, 1, 1, 1, 1, 3.5}}

var labels = []int{0, 1, 2, 1, 0, 2}

// column returns a matrix of one column.
func column(v ...float64) blas64.General {
	return blas64.General{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// product returns a·b.
func product(a, b mat.Matrix) blas64.General {
	var m mat.Dense
	m.Mul(a, b)
	return m.RawMatrix()
}

// expect compares numbers to an absolute tolerance.
func expect(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if !floats.EqualApprox(got, want, tolerance) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// TestRidge compares with scikit-learn 1.2.1:
//
//	Ridge(alpha=1/1000, solver='cholesky').fit(X, [1, 2.5, 3, -1, 0.5, 2])
func TestRidge(t *testing.T) {
	m, err := FitLinear(features, column(1, 2.5, 3, -1, 0.5, 2), 1000)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{-0.233812740366119, 0.8609743902613596, 0.40123681204395945}
	expect(t, "weights", m.Weights.RawMatrix().Data, want, 1e-12)
	expect(t, "bias", m.Bias, []float64{-0.10764050614533738}, 1e-12)
}

// TestClasses compares the decisions of all three solvers with scikit-learn:
//
//	Ridge(alpha=1, solver='cholesky').fit(X, ±1 of the labels).predict(X[:3])
func TestClasses(t *testing.T) {
	want := []float64{
		0.438780872306884, -0.6589595375722542, -0.7798213347346299,
		-0.19390436153441915, 0.04479768786127167, -0.8508933263268528,
		-0.8649500788229112, -0.9299132947976878, 0.7948633736205997}
	targets := Targets(labels, 3)
	linear, err := FitLinear(features, targets, 1)
	if err != nil {
		t.Fatal(err)
	}
	decisions := linear.Decisions(features)
	expect(t, "primal", decisions.Data[:9], want, 1e-12)
	if got := Winners(decisions); !slices.Equal(got, labels) {
		t.Errorf("classes %v, want %v", got, labels)
	}
	k := product(lab.Dense(features), lab.Dense(features).T())
	dual, err := NewDual(k, k, targets).Decisions(1, 1)
	bordered, err2 := Bordered{Gamma: 1}.Decisions(k, k, targets)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	expect(t, "dual", dual.Data[:9], want, 1e-12)
	expect(t, "bordered", bordered.Data[:9], want, 1e-12)
	// Some rows are new, and features are scaled by two.
	in, out, all := []int64{0, 1, 3, 5}, []int64{4, 2}, []int64{0, 1, 2}
	old, fresh, y := Submatrix(features, in, all), Submatrix(features, out, all), Submatrix(targets, in, all)
	floats.Scale(2, old.Data)
	floats.Scale(2, fresh.Data)
	linear, err = FitLinear(old, y, 0.7)
	dual, err2 = NewDual(Submatrix(k, in, in), Submatrix(k, out, in), y).Decisions(4, 0.7)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	expect(t, "dual at scale 2", dual.Data, linear.Decisions(fresh).Data, 1e-12)
}

// TestBordered checks the residuals of both systems for an indefinite kernel matrix, and
// the ridge of a singular one.
func TestBordered(t *testing.T) {
	k := blas64.General{Rows: 3, Cols: 3, Stride: 3, Data: []float64{0, 2, -1, 2, 0.5, 1, -1, 1, -3}}
	m := mat.NewDense(4, 4, []float64{0, 1, 1, 1, 1, 0.25, 2, -1, 1, 2, 0.75, 1, 1, -1, 1, -2.75})
	right := mat.NewDense(4, 1, []float64{0, 1, -1, 1})
	plain, err := Bordered{Gamma: 4}.solve(k, column(1, -1, 1))
	x, err2 := Bordered{Gamma: 4, Ridge: 0.5}.solve(k, column(1, -1, 1))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	expect(t, "M·x", product(m, plain).Data, right.RawMatrix().Data, 1e-12)
	square := product(m, lab.Dense(product(m, x)))
	floats.AddScaled(square.Data, 0.5, x.RawMatrix().Data)
	expect(t, "M²·x + λ·x", square.Data, product(m, right).Data, 1e-12)
	singular := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{-1, -1, -1, -1}}
	got, err := Bordered{Gamma: math.Inf(1)}.solve(singular, column(1, 1))
	want, err2 := Bordered{Gamma: math.Inf(1), Ridge: 1}.solve(singular, column(1, 1))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	expect(t, "singular system", got.RawMatrix().Data, want.RawMatrix().Data, 0)
}

func TestRefuses(t *testing.T) {
	dependent := blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{1, 1, 2, 2, 4, 4}}
	negative := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{-9, 9, 9, -9}}
	_, err := FitLinear(dependent, column(1, 2, 3), 1e30)
	_, err2 := NewDual(negative, negative, column(1, 2)).Decisions(1, 1)
	if err == nil || err2 == nil {
		t.Errorf("a singular and an indefinite system: %v, %v", err, err2)
	}
}
