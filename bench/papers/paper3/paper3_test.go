package paper3

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/stream"
)

var background = context.Background()

// blobs returns centred rows of three classes that differ in two of d columns.
func blobs(n, d int) (blas64.General, []int) {
	x, labels := stream.NewMatrix(n, d), make([]int, n)
	sketch.NewRandom(5, "blobs").Normals(x)
	for i := range n {
		labels[i] = i % 3
		x.Data[i*d] += 4 * (float64(labels[i]) - 1)
		x.Data[i*d+1] += 4 * float64(labels[i]%2)
	}
	return x, labels
}

func smallObjective(kernel term) *objective {
	x, labels := blobs(60, 6)
	return &objective{lab.Dense(x), classGamma(labels, 3), kernel}
}

// TestObjective holds J against its definition, and ∇J against differences of J.
func TestObjective(t *testing.T) {
	for name, kernel := range map[string]term{"gaussian": gaussianTerm(0.2), "polynomial": polynomialTerm(3, 1)} {
		o := smallObjective(kernel)
		w := mat.NewDense(6, 2, nil)
		sketch.NewRandom(1, "W").Normals(w.RawMatrix())
		w, err := orthonormal(w)
		if err != nil {
			t.Fatal(err)
		}
		value, g := o.gradient(w)
		if plain := naive(o, w); math.Abs(value-plain) > 1e-10*math.Abs(plain) {
			t.Errorf("%s: J is %v, by its definition %v", name, value, plain)
		}
		for i := range 6 {
			for j := range 2 {
				const h = 1e-5
				up, down := mat.DenseCopyOf(w), mat.DenseCopyOf(w)
				up.Set(i, j, w.At(i, j)+h)
				down.Set(i, j, w.At(i, j)-h)
				if want := (o.value(up) - o.value(down)) / (2 * h); math.Abs(g.At(i, j)-want) > 1e-6*mat.Norm(g, 2) {
					t.Errorf("%s: entry %d, %d of the gradient is %v, by differences %v", name, i, j, g.At(i, j), want)
				}
			}
		}
	}
}

// naive returns J pair by pair.
func naive(o *objective, w *mat.Dense) float64 {
	sum := 0.0
	n, _ := o.x.Dims()
	for i := range n {
		for j := range n {
			var a, b, difference mat.VecDense
			a.MulVec(w.T(), o.x.RowView(i))
			b.MulVec(w.T(), o.x.RowView(j))
			difference.SubVec(&a, &b)
			beta := mat.Dot(&a, &b)
			if o.distance {
				beta = mat.Dot(&difference, &difference)
			}
			f, _ := o.f(beta)
			sum += o.gamma.At(i, j) * f
		}
	}
	return sum
}

// TestStiefelLinear: with the linear kernel J is the sum of the q largest eigenvalues
// of XᵀΓX, which the ascent has to find.
func TestStiefelLinear(t *testing.T) {
	o := smallObjective(term{false, func(beta float64) (float64, float64) { return beta, 1 }})
	var phi mat.Dense
	phi.Product(o.x.T(), o.gamma, o.x)
	values, _, err := lab.Eigen(&phi)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ascent{1e-7, 2000}.stiefel(background, o, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if best := values[0] + values[1]; math.Abs(r.value-best) > 1e-8*best || !r.settled {
		t.Errorf("%v after %d steps, the best is %v", r.value, r.rounds, best)
	}
	var gram mat.Dense
	gram.Mul(r.w.T(), r.w)
	if !mat.EqualApprox(&gram, mat.NewDiagDense(2, []float64{1, 1}), 1e-12) {
		t.Errorf("WᵀW is %v", mat.Formatted(&gram))
	}
}

// TestTermOf: J of the ascent's kernels is that of package ism.
func TestTermOf(t *testing.T) {
	x, labels := blobs(45, 5)
	known, err := ism.Classes(labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kernelgen.Kernel{kernelgen.Gaussian(1.7), kernelgen.Poly(3, 1, 1)} {
		d := &ism.Data{Rows: stream.FromMatrix("x", x), Known: known}
		fit, err := ism.Solver{Dim: 2, Engine: ism.EngineExact}.Fit(background, stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		kernel, ok := termOf(fit.Kernel)
		if !ok {
			t.Fatalf("%s has no term", fit.Kernel)
		}
		o := &objective{lab.Dense(x), classGamma(labels, 3), kernel}
		if v := o.value(lab.Dense(fit.W)); math.Abs(v-fit.Objective) > 1e-9*math.Abs(v) {
			t.Errorf("%s: J is %v, by ism %v", k, v, fit.Objective)
		}
	}
	sum := kernelgen.Sum(kernelgen.Gaussian(1), kernelgen.Linear())
	for _, k := range []kernelgen.Kernel{kernelgen.Linear(), kernelgen.Squared(), sum} {
		if _, ok := termOf(k); ok {
			t.Errorf("%s has a term", k)
		}
	}
}

// TestSVM tests the classifier that cross-validation chooses on rows that it has not seen.
func TestSVM(t *testing.T) {
	x, labels := blobs(90, 4)
	chosen, err := chooseSVM(background, stream.RowSlice(x, 0, 60), labels[:60], 3)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := chosen.predict(stream.RowSlice(x, 0, 60), labels[:60], 3, stream.RowSlice(x, 60, 30))
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, c := range predicted {
		if c == labels[60+i] {
			right++
		}
	}
	if right < 27 {
		t.Errorf("%d of 30 rows right", right)
	}
}

// TestFoldsKeepTestRowsOut: every row is tested once, and only training rows decide the
// scaling.
func TestFoldsKeepTestRowsOut(t *testing.T) {
	x, labels := blobs(60, 3)
	x.Data[0] = 1e6 // a row that would show in every mean
	all, err := folds(background, &datasets.Labelled{X: x, Labels: labels, Classes: 3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	tested, far := 0, 0
	for _, f := range all {
		tested += f.test.Rows
		for j := range 3 {
			column := mat.Col(nil, j, lab.Dense(f.train))
			v := mat.NewVecDense(len(column), column)
			if n := float64(len(column)); math.Abs(mat.Sum(v)/n) > 1e-9 || math.Abs(mat.Dot(v, v)/n-1) > 1e-9 {
				t.Errorf("column %d of training rows has mean %v and variance %v", j, mat.Sum(v)/n, mat.Dot(v, v)/n)
			}
		}
		for i := range f.test.Rows {
			if lab.Row(f.test, i)[0] > 1e4 {
				far++
			}
		}
	}
	if tested != 60 || far != 1 {
		t.Errorf("%d rows tested, %d of them far off", tested, far)
	}
}

// TestTables measures a few rows, and again from the cache: accuracies are high where
// classes are easy, SM reaches the J of package ism, and the other division is found.
func TestTables(t *testing.T) {
	x, labels := blobs(90, 4)
	cache, err := lab.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	o, err := parseOptions([]string{"-folds", "2", "-baseline-folds", "1", "-out", t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	e := &experiment{options: o, problem: problem{name: "blobs", dim: 2}, cache: cache,
		data: &datasets.Labelled{X: x, Labels: labels, Classes: 3}, other: labels}
	s, err := e.supervised(background)
	if err != nil {
		t.Fatal(err)
	}
	ratio := map[string]float64{}
	for _, r := range s.Rows {
		if number(t, r[4]) < 0.85 {
			t.Errorf("%v: low accuracy on rows that are easy", r)
		}
		if r[0] == "gaussian" {
			ratio[r[1]] = number(t, r[8])
		}
	}
	off := math.Abs(ratio["SM"]-1) + math.Abs(ratio["ISM linear"]-1)
	if len(s.Rows) != 15 || ratio["ISM exact"] != 1 || off > 0.1 {
		t.Errorf("%d rows, J over that of ISM exact: %v", len(s.Rows), ratio)
	}
	u, err := e.unsupervised(background)
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Rows) != 10 || number(t, u.Rows[0][4]) < 0.8 {
		t.Errorf("clusters: %v", u.Rows)
	}
	if err := e.tables(background); err != nil {
		t.Fatal(err)
	}
	again, err := e.supervised(background)
	if err != nil || !slices.EqualFunc(again.Rows, s.Rows, slices.Equal[[]string]) {
		t.Errorf("measured anew: %v, %v", again, err)
	}
}

func number(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
