package lssvm

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

var features = blas64.General{Rows: 6, Cols: 3, Stride: 3,
	Data: []float64{1, 2, 0, 2, 1, 1, 3, 5, -1, 4, 0, 2, 0, 1, 1, 1, 1, 3.5}}

var labels = []int{0, 1, 2, 1, 0, 2}

func column(v ...float64) blas64.General {
	return blas64.General{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

func product(a, b mat.Matrix) blas64.General {
	var m mat.Dense
	m.Mul(a, b)
	return m.RawMatrix()
}

func expect(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*math.Max(1, math.Abs(w))) {
			t.Fatalf("%s: number %d is %.17g, want %.17g", what, i, got[i], w)
		}
	}
}

// TestRidge compares with scikit-learn 1.2.1:
//
//	Ridge(alpha=1/gamma, solver='cholesky').fit(X, [1, 2.5, 3, -1, 0.5, 2])
func TestRidge(t *testing.T) {
	for gamma, want := range map[float64][]float64{
		1:    {-0.2106213872832369, 0.7171242774566474, 0.2608381502890175, 0.24169075144508612},
		0.1:  {-0.10835427829336489, 0.34444115607344933, -0.01174979128660215, 0.9706431906425723},
		1000: {-0.233812740366119, 0.8609743902613596, 0.40123681204395945, -0.10764050614533738},
	} {
		m, err := FitLinear(features, column(1, 2.5, 3, -1, 0.5, 2), gamma)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "weights and bias", append(slices.Clone(m.Weights.RawMatrix().Data), m.Bias...), want, 1e-12)
	}
}

// TestClasses compares the decisions of all three solvers with scikit-learn:
//
//	Ridge(alpha=1, solver='cholesky').fit(X, ±1 of the labels).predict(X)
func TestClasses(t *testing.T) {
	want := []float64{
		0.438780872306884, -0.6589595375722542, -0.7798213347346299,
		-0.19390436153441915, 0.04479768786127167, -0.8508933263268528,
		-0.8649500788229112, -0.9299132947976878, 0.7948633736205997,
		-1.2916447714135573, 1.1842485549132946, -0.8926037834997378,
		0.7362059905412508, -0.8265895953757224, -0.9096163951655285,
		-0.8244876510772463, -0.8135838150289018, 0.6380714661061484}
	targets := Targets(labels, 3)
	linear, err := FitLinear(features, targets, 1)
	if err != nil {
		t.Fatal(err)
	}
	decisions := linear.Decisions(features)
	expect(t, "primal", decisions.Data, want, 1e-12)
	if got := Winners(decisions); !slices.Equal(got, labels) {
		t.Errorf("classes %v, want %v", got, labels)
	}
	k := product(view(features), view(features).T())
	dual, err := NewDual(k, k, targets).Decisions(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "dual", dual.Data, want, 1e-12)
	bordered, err := Bordered{Gamma: 1}.Decisions(k, k, targets)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "bordered", bordered.Data, want, 1e-12)
}

// TestScale holds the dual problem at a scale to the primal problem of scaled features,
// at rows that it was not fitted to.
func TestScale(t *testing.T) {
	x, fresh, scaled, far := stream.NewMatrix(20, 4), stream.NewMatrix(7, 4), stream.NewMatrix(20, 4), stream.NewMatrix(7, 4)
	sketch.NewRandom(1, "lssvm test").Normals(x)
	sketch.NewRandom(2, "lssvm test").Normals(fresh)
	view(scaled).Scale(3, view(x))
	view(far).Scale(3, view(fresh))
	var y []float64
	for i := range 20 {
		y = append(y, 5+math.Sin(float64(i)))
	}
	linear, err := FitLinear(scaled, column(y...), 0.7)
	if err != nil {
		t.Fatal(err)
	}
	dual := NewDual(product(view(x), view(x).T()), product(view(fresh), view(x).T()), column(y...))
	got, err := dual.Decisions(9, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "dual", got.Data, linear.Decisions(far).Data, 1e-11)
}

// TestBordered checks the residuals of both systems for an indefinite kernel matrix, and
// the ridge of a singular one.
func TestBordered(t *testing.T) {
	k := blas64.General{Rows: 3, Cols: 3, Stride: 3, Data: []float64{0, 2, -1, 2, 0.5, 1, -1, 1, -3}}
	m := mat.NewDense(4, 4, []float64{0, 1, 1, 1, 1, 0.25, 2, -1, 1, 2, 0.75, 1, 1, -1, 1, -2.75})
	right, square := mat.NewDense(4, 1, []float64{0, 1, -1, 1}), mat.DenseCopyOf(product2(m))
	for _, ridge := range []float64{0, 0.5} {
		x, err := Bordered{Gamma: 4, Ridge: ridge}.solve(k, column(1, -1, 1))
		if err != nil {
			t.Fatal(err)
		}
		system, want := mat.Matrix(m), mat.Matrix(right)
		if ridge > 0 {
			for i := range 4 {
				square.Set(i, i, square.At(i, i)+ridge)
			}
			system, want = square, view(product(m, right))
		}
		expect(t, "residual", product(system, x).Data, mat.DenseCopyOf(want).RawMatrix().Data, 1e-12)
	}
	zero := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{-1, -1, -1, -1}} // K + I/γ + 11ᵀ is singular
	got, err := Bordered{Gamma: math.Inf(1)}.solve(zero, column(1, 1))
	want, err2 := Bordered{Gamma: math.Inf(1), Ridge: 1}.solve(zero, column(1, 1))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	expect(t, "singular system", got.RawMatrix().Data, want.RawMatrix().Data, 0)
}

func product2(m *mat.Dense) *mat.Dense { return view(product(m, m)) }

func TestRefuses(t *testing.T) {
	dependent := blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{1, 1, 2, 2, 4, 4}}
	if _, err := FitLinear(dependent, column(1, 2, 3), 1e30); err == nil {
		t.Error("a singular system is solved")
	}
	negative := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{-9, 9, 9, -9}}
	if _, err := NewDual(negative, negative, column(1, 2)).Decisions(1, 1); err == nil {
		t.Error("an indefinite kernel matrix is solved by Cholesky")
	}
}

func TestSubmatrix(t *testing.T) {
	got := Submatrix(features, []int64{3, 0}, []int64{2, 0})
	if got.Rows != 2 || got.Cols != 2 || !slices.Equal(got.Data, []float64{2, 4, 0, 1}) {
		t.Errorf("got %v", got)
	}
}
