package paper3

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/plot"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// TestFoldsKeepTestRowsOut: every row is tested once, and scaled by what the training
// rows of its fold say alone.
func TestFoldsKeepTestRowsOut(t *testing.T) {
	x, labels := blobs(60, 3)
	x.Data[0] = 1e6 // a row that would show in every mean
	all, err := folds(background, &datasets.Labelled{X: x, Labels: labels, Classes: 3}, 5, stream.ScaleStandard, 1)
	if err != nil {
		t.Fatal(err)
	}
	tested, far := 0, 0
	for _, f := range all {
		tested += f.test.Rows
		for j := range 3 {
			sum, squares := 0.0, 0.0
			for i := range f.train.Rows {
				v := dense.Row(f.train, i)[j]
				sum += v
				squares += v * v
			}
			if n := float64(f.train.Rows); math.Abs(sum/n) > 1e-9 || math.Abs(squares/n-1) > 1e-9 {
				t.Errorf("column %d of training rows has mean %v and variance %v", j, sum/n, squares/n)
			}
		}
		for i := range f.test.Rows {
			if dense.Row(f.test, i)[0] > 1e4 {
				far++
			}
		}
	}
	if tested != 60 || far != 1 {
		t.Errorf("%d rows tested, %d of them far off", tested, far)
	}
}

// TestTables runs the supervised and unsupervised halves on a few rows.
func TestTables(t *testing.T) {
	x, labels := blobs(90, 4)
	d := &datasets.Labelled{Name: "blobs", X: x, Labels: labels, Classes: 3, Other: labels}
	p := problem{name: "blobs", dim: 2}
	o := &options{out: t.TempDir(), folds: 2, repeats: 1, baselineFolds: 1, classes: true, clusters: true, kernels: []string{"gaussian", "gaussian+polynomial", "gaussian+polynomial, together"}, seed: 1}
	if err := o.tables(background, p, d); err != nil {
		t.Fatal(err)
	}
	s := supervisedTable(p, d, o)
	if err := o.supervised(background, s, p, d, kernelNamed("gaussian")); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, r := range s.Rows {
		accuracy, value := parse(t, r[4]), parse(t, r[7])
		if accuracy < 0.9 {
			t.Errorf("%s: accuracy %v on rows that are easy", r[1], accuracy)
		}
		values[r[1]] = value
	}
	if len(values) != 5 || math.Abs(values["SM"]-values["ISM exact"]) > 0.1*values["SM"] || math.Abs(values["GM"]-values["SM"]) > 1e-3*values["SM"] {
		t.Errorf("J is %v", values)
	}
}

func parse(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSpectralClusters finds classes that are easy.
func TestSpectralClusters(t *testing.T) {
	x, labels := blobs(90, 2)
	found, err := spectralClusters(background, x, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	nmi, err := metrics.NMI(labels, found)
	if err != nil || nmi < 0.8 {
		t.Errorf("NMI %v, %v", nmi, err)
	}
}

// TestDenseTerm: the dense kernels are those of package ism.
func TestDenseTerm(t *testing.T) {
	x, labels := blobs(45, 5)
	for _, text := range []string{"gaussian(sigma=1.7)", "polynomial(degree=3, c=1)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		known, err := ism.Classes(labels, 3)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := ism.Solver{Dim: 2, Engine: ism.EngineExact}.Fit(background, stream.Engine{}, &ism.Data{Rows: stream.FromMatrix("x", x), Known: known}, k)
		if err != nil {
			t.Fatal(err)
		}
		dense, ok := denseTerm(fit.Kernel)
		if !ok {
			t.Fatalf("%s has no dense form", fit.Kernel)
		}
		o, err := newObjective(x, classGamma(labels, 3), dense)
		if err != nil {
			t.Fatal(err)
		}
		if v := o.value(fit.W); math.Abs(v-fit.Objective) > 1e-9*math.Abs(v) {
			t.Errorf("%s: J is %v densely, and %v by ism", text, v, fit.Objective)
		}
	}
}

// TestGenerated: all columns together have covariance 1, and the classes lie in the
// subspace that is said.
func TestGenerated(t *testing.T) {
	u, err := truth(3)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rows.nys")
	const n = 20000
	if err := generate(path, n, u, 3); err != nil {
		t.Fatal(err)
	}
	x, err := datasets.Load(background, path)
	if err != nil {
		t.Fatal(err)
	}
	if x.Rows != n || x.Cols != generatedColumns+1 {
		t.Fatalf("%d × %d", x.Rows, x.Cols)
	}
	means, sizes := stream.NewMatrix(generatedColumns, len(corners)), make([]float64, len(corners))
	for i := range n {
		sizes[int(dense.Row(x, i)[generatedColumns])]++
	}
	for i := range n {
		class := int(dense.Row(x, i)[generatedColumns])
		for j, v := range dense.Row(x, i)[:generatedColumns] {
			means.Data[j*means.Stride+class] += v / sizes[class]
		}
	}
	if slices.Min(sizes) < 0.23*n {
		t.Errorf("classes of %v rows", sizes)
	}
	for _, pair := range [][2]int{{0, 0}, {7, 7}, {0, 1}, {7, 30}} {
		sum := 0.0
		for i := range n {
			sum += dense.Row(x, i)[pair[0]] * dense.Row(x, i)[pair[1]] / n
		}
		want := 0.0
		if pair[0] == pair[1] {
			want = 1
		}
		if math.Abs(sum-want) > 0.05 {
			t.Errorf("covariance %v of columns %v", sum, pair)
		}
	}
	length := dense.Frobenius(means)
	removeSpan(means, u)
	if beside := dense.Frobenius(means); beside > 0.15*length {
		t.Errorf("class means are %v long, and %v beside the subspace", length, beside)
	}
}

// TestLargestAngle on planes that share a line.
func TestLargestAngle(t *testing.T) {
	for _, angle := range []float64{0, 0.03, 1, math.Pi / 2} {
		a, b := stream.NewMatrix(4, 2), stream.NewMatrix(4, 2)
		a.Data[0], a.Data[3] = 1, 1
		b.Data[0], b.Data[3], b.Data[5] = 1, math.Cos(angle), math.Sin(angle)
		got, err := largestAngle(a, b)
		if err != nil || math.Abs(got-angle) > 1e-7 {
			t.Errorf("%v, not %v: %v", got, angle, err)
		}
	}
}

// TestPictures: a table and panels are written.
func TestPictures(t *testing.T) {
	x, labels := blobs(30, 2)
	o := &options{out: t.TempDir()}
	if err := drawPanels(o.path("p.svg"), panelsOf(x, labels)); err != nil {
		t.Fatal(err)
	}
	table := report.Table{File: "t", Title: "T", Head: []string{"a"}}
	table.Add(math.NaN())
	if err := table.Write(o.out); err != nil {
		t.Fatal(err)
	}
}

func panelsOf(x blas64.General, labels []int) (panels []*plot.Plot) {
	return append(panels, scatter("a", x, labels), scatter("b", x, labels))
}
