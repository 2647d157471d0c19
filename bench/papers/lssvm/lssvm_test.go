package lssvm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

var ctx = context.Background()

func matrix(rows, cols int, data ...float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
}

// randomMatrix draws entries around 0 with standard deviation 1.
func randomMatrix(rows, cols int, seed uint64) blas64.General {
	m := stream.NewMatrix(rows, cols)
	random := sketch.NewRandom(seed, "lssvm test")
	for i := range m.Data {
		d := random.At(uint64(i))
		m.Data[i] = d.Normal()
	}
	return m
}

func source(x blas64.General) stream.Source { return stream.FromMatrix("x", x) }

var features = matrix(6, 3, 1, 2, 0, 2, 1, 1, 3, 5, -1, 4, 0, 2, 0, 1, 1, 1, 1, 3.5)

// TestRidge compares with scikit-learn 1.2.1:
//
//	Ridge(alpha=1/gamma, solver='cholesky').fit(X, [1, 2.5, 3, -1, 0.5, 2])
func TestRidge(t *testing.T) {
	y := matrix(6, 1, 1, 2.5, 3, -1, 0.5, 2)
	for gamma, want := range map[float64][]float64{
		1:    {-0.2106213872832369, 0.7171242774566474, 0.2608381502890175, 0.24169075144508612},
		0.1:  {-0.10835427829336489, 0.34444115607344933, -0.01174979128660215, 0.9706431906425723},
		1000: {-0.233812740366119, 0.8609743902613596, 0.40123681204395945, -0.10764050614533738},
	} {
		m, err := FitTargets(ctx, stream.Engine{}, source(features), y, gamma)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, fmt.Sprintf("gamma %v", gamma), append(slices.Clone(m.Weights.Data), m.Bias...), want, 1e-12)
	}
}

// TestRidgeDual is the same for fewer rows than columns:
//
//	Ridge(alpha=0.5, solver='cholesky').fit(X.T, [1, -2, 4])
func TestRidgeDual(t *testing.T) {
	wide := stream.NewMatrix(3, 6)
	for i := range 6 {
		for j := range 3 {
			wide.Data[j*6+i] = features.Data[i*3+j]
		}
	}
	m, err := FitTargets(ctx, stream.Engine{}, source(wide), matrix(3, 1, 1, -2, 4), 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{-0.2373056994818652, 0.025906735751295314, -0.6860103626943003, 0.31502590673575115, -0.025906735751295318, 0.2642487046632124, 1.706217616580311}
	expect(t, "dual", append(slices.Clone(m.Weights.Data), m.Bias...), want, 1e-12)
}

// TestClasses compares the decisions with scikit-learn:
//
//	Ridge(alpha=1, solver='cholesky').fit(X, ±1 of the labels).predict(X)
func TestClasses(t *testing.T) {
	labels := []int{0, 1, 2, 1, 0, 2}
	m, err := Fit(ctx, stream.Engine{}, source(features), labels, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Decisions(ctx, stream.Engine{}, source(features))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "decisions", got.Data, []float64{
		0.438780872306884, -0.6589595375722542, -0.7798213347346299,
		-0.19390436153441915, 0.04479768786127167, -0.8508933263268528,
		-0.8649500788229112, -0.9299132947976878, 0.7948633736205997,
		-1.2916447714135573, 1.1842485549132946, -0.8926037834997378,
		0.7362059905412508, -0.8265895953757224, -0.9096163951655285,
		-0.8244876510772463, -0.8135838150289018, 0.6380714661061484}, 1e-12)
	classes, err := m.Predict(ctx, stream.Engine{}, source(features))
	if diff := cmp.Diff(labels, classes); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func expect(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tol*math.Max(1, math.Abs(w))) {
			t.Fatalf("%s: number %d is %.17g, want %.17g", what, i, got[i], w)
		}
	}
}

// bordered solves the system of Suykens and Vandewalle as it stands, with K = XXᵀ:
//
//	[0 1ᵀ; 1 K + I/γ] [b; α] = [0; y]
func bordered(x blas64.General, y []float64, gamma float64) (w []float64, b float64) {
	n := x.Rows
	a, right := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil)
	for i := range n {
		a.Set(0, i+1, 1)
		a.Set(i+1, 0, 1)
		right.SetVec(i+1, y[i])
		for j := range n {
			sum := 0.0
			for k := range x.Cols {
				sum += x.Data[i*x.Stride+k] * x.Data[j*x.Stride+k]
			}
			if i == j {
				sum += 1 / gamma
			}
			a.Set(i+1, j+1, sum)
		}
	}
	var s mat.VecDense
	s.SolveVec(a, right)
	w = make([]float64, x.Cols)
	for i := range n {
		for k := range w {
			w[k] += s.AtVec(i+1) * x.Data[i*x.Stride+k]
		}
	}
	return w, s.AtVec(0)
}

// TestBorderedSystem compares both forms with the bordered system, for any shape.
func TestBorderedSystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 25).Draw(t, "n"), rapid.IntRange(1, 25).Draw(t, "d")
		x := randomMatrix(n, d, rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "constant column") {
			for i := range n {
				x.Data[i*d] = 3
			}
		}
		if rapid.Bool().Draw(t, "equal rows") {
			copy(dense.Row(x, n-1), dense.Row(x, 0))
		}
		y := randomMatrix(n, 1, 5)
		gamma := math.Pow(10, rapid.Float64Range(-2, 3).Draw(t, "log gamma"))
		m, err := FitTargets(ctx, stream.Engine{Threads: 1, BlockRows: 4}, source(x), y, gamma)
		if err != nil {
			t.Fatal(err)
		}
		w, b := bordered(x, y.Data, gamma)
		for k, v := range append(w, b) {
			if got := append(slices.Clone(m.Weights.Data), m.Bias...)[k]; math.Abs(got-v) > 1e-8*(1+math.Abs(v)) {
				t.Fatalf("number %d is %v, want %v", k, got, v)
			}
		}
	})
}

// TestFarFromZero: a shift of the features changes the bias alone, and loses no
// more than the digits that the shift takes from the features.
func TestFarFromZero(t *testing.T) {
	const n, d, shift = 3000, 4, 1e6
	x, far := randomMatrix(n, d, 1), randomMatrix(n, d, 1)
	y := randomMatrix(n, 2, 2)
	for i := range far.Data {
		far.Data[i] += shift
	}
	e := stream.Engine{BlockRows: 256}
	near, err := FitTargets(ctx, e, source(x), y, 1)
	moved, err2 := FitTargets(ctx, e, source(far), y, 1)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	expect(t, "weights", moved.Weights.Data, near.Weights.Data, 1e-11)
}

// TestThreads: the same bits for any number of threads.
func TestThreads(t *testing.T) {
	x := randomMatrix(2000, 30, 3)
	labels := make([]int, x.Rows)
	for i := range labels {
		labels[i] = i % 3
	}
	var models []*Model
	for _, threads := range []int{1, 2, 5} {
		m, err := Fit(ctx, stream.Engine{Threads: threads, BlockRows: 128}, source(x), labels, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	if diff := cmp.Diff(models[0], models[1]) + cmp.Diff(models[0], models[2]); diff != "" {
		t.Error(diff)
	}
}

// TestPasses: one pass for a fit, also of a source that can be read only once.
func TestPasses(t *testing.T) {
	for _, x := range []blas64.General{randomMatrix(50, 4, 1), randomMatrix(4, 50, 1)} {
		src := stream.NewCounted(source(x))
		if _, err := FitTargets(ctx, stream.Engine{}, src, randomMatrix(x.Rows, 1, 2), 1); err != nil || src.Passes() != 1 {
			t.Errorf("%d passes, %v", src.Passes(), err)
		}
	}
}

func TestDegenerate(t *testing.T) {
	e := stream.Engine{}
	// One class, and classes without rows: constants.
	m, err := Fit(ctx, e, source(features), make([]int, 6), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "weights of one class", m.Weights.Data, make([]float64, 9), 1e-15)
	expect(t, "bias of one class", m.Bias, []float64{1, -1, -1}, 1e-15)
	// Constant features say nothing.
	m, err = FitTargets(ctx, e, source(matrix(3, 2, 7, 0, 7, 0, 7, 0)), matrix(3, 1, 1, 2, 6), 1e6)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "weights of constants", append(m.Weights.Data, m.Bias...), []float64{0, 0, 3}, 1e-15)
	// Two classes have opposite decisions.
	m, err = Fit(ctx, e, source(features), []int{0, 1, 1, 0, 0, 1}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if m.Weights.Data[2*i] != -m.Weights.Data[2*i+1] {
			t.Errorf("weights %v of two classes", m.Weights.Data)
		}
	}
}

func TestRefuses(t *testing.T) {
	e := stream.Engine{}
	x := source(features)
	labels := []int{0, 1, 2, 1, 0, 2}
	bad := matrix(6, 3, slices.Clone(features.Data)...)
	bad.Data[7] = math.NaN()
	y := matrix(6, 1, 1, 2, 3, 4, 5, math.Inf(1))
	info := x.Info()
	info.Rows = -1 // a source that says too late how long it is
	unknown := stream.FromSeq(info, func() iter.Seq2[blas64.General, error] {
		return func(yield func(blas64.General, error) bool) { yield(features, nil) }
	})
	for name, err := range map[string]error{
		"gamma 0":        second(Fit(ctx, e, x, labels, 3, 0)),
		"gamma NaN":      second(Fit(ctx, e, x, labels, 3, math.NaN())),
		"label":          second(Fit(ctx, e, x, labels, 2, 1)),
		"rows":           second(Fit(ctx, e, x, labels[:5], 3, 1)),
		"too many rows":  second(Fit(ctx, e, unknown, labels[:5], 3, 1)),
		"too few rows":   second(Fit(ctx, e, unknown, append(labels, 1), 3, 1)),
		"dual, too many": second(Fit(ctx, e, unknown, labels[:2], 3, 1)),
		"no rows":        second(Fit(ctx, e, source(stream.NewMatrix(0, 2)), nil, 3, 1)),
		"no columns":     second(Fit(ctx, e, source(stream.NewMatrix(6, 0)), labels, 3, 1)),
		"target":         second(FitTargets(ctx, e, x, y, 1)),
		"overflow":       second(Fit(ctx, e, source(matrix(2, 1, 1e200, -1e200)), []int{0, 1}, 2, 1)),
		"dual overflow":  second(Fit(ctx, e, source(matrix(2, 3, 1e200, 0, 0, -1e200, 0, 0)), []int{0, 1}, 2, 1)),
		"dependent":      second(Fit(ctx, e, source(matrix(3, 2, 1, 1, 2, 2, 4, 4)), []int{0, 1, 1}, 2, 1e30)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	_, err := Fit(ctx, e, source(bad), labels, 3, 1)
	var value *stream.BadValueError
	if !errors.As(err, &value) || value.Row != 2 || value.Column != "x1" {
		t.Errorf("NaN: %v", err)
	}
	m, err := Fit(ctx, e, x, labels, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(ctx, e, source(bad)); !errors.As(err, &value) {
		t.Errorf("NaN in a prediction: %v", err)
	}
	if _, err := m.Predict(ctx, e, source(matrix(1, 2, 1, 2))); err == nil {
		t.Error("two columns for a model of three")
	}
}

func second(_ *Model, err error) error { return err }

// TestScatterConformance: any split and order of merging gives the same bits.
func TestScatterConformance(t *testing.T) {
	newAcc := func() *scatter { return newScatter(3) }
	conformance.Run(t, newAcc, func(block int64) *scatter {
		acc := newAcc()
		if err := acc.setBlock(randomMatrix(9, 3, uint64(block))); err != nil {
			t.Fatal(err)
		}
		return acc
	}, 11)
}
