package paper4

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

func TestOptions(t *testing.T) {
	for _, args := range []string{"-only 3", "-sets sonar", "-repeats 0", "more"} {
		if _, err := Parse(strings.Fields(args)); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	if _, err := Parse(strings.Fields("-only uci -sets heart,pima -repeats 2")); err != nil {
		t.Error(err)
	}
}

// sample returns a synthetic table of two classes and a split of it.
func sample() (*table, split.Split) {
	d, s := &table{x: stream.NewMatrix(40, 3)}, split.Split{}
	for i := range 40 {
		d.labels = append(d.labels, i*i%5%2)
		for j := range 3 {
			d.x.Data[3*i+j] = math.Sin(float64(i*(j+2) + d.labels[i]))
		}
		if i%4 == 1 {
			s.Test = append(s.Test, int64(i))
		} else {
			s.Train = append(s.Train, int64(i))
		}
	}
	return d, s
}

// TestMeasure tunes AsK-LS with the SNE kernel on two clusters.
func TestMeasure(t *testing.T) {
	d, s := sample()
	for i, l := range d.labels {
		lab.Row(d.x, i)[1] += 3 * float64(l)
	}
	r, err := d.measure(t.Context(), families[1], []split.Split{s, s})
	if err != nil || len(r[0]) != 2 || r[0][0].Micro != 1 || r[1][1].Micro != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSymmetric compares AsK-LS with RBF with the LS-SVM of its kernel matrix (paper, Proposition 2), on test rows and
// out of fold.
func TestSymmetric(t *testing.T) {
	d, s := sample()
	got, err := d.part(s.Train).learn(t.Context(), kernelgen.RBF(0.7), 3, d.part(s.Test))
	if err != nil {
		t.Fatal(err)
	}
	k := stream.NewMatrix(40, 40)
	for i := range 40 {
		for j := range 40 {
			lab.Row(k, i)[j] = math.Exp(-0.7 * math.Pow(floats.Distance(lab.Row(d.x, i), lab.Row(d.x, j), 2), 2))
		}
	}
	train, fresh := lssvm.Submatrix(k, s.Train, s.Train), lssvm.Submatrix(k, s.Test, s.Train)
	want, err := learnSymmetric(lssvm.Bordered{Gamma: 3}, train, fresh, scores.Picked(d.labels, s.Train), 2)
	if err != nil {
		t.Fatal(err)
	}
	expectClose(t, "test rows", got.fresh, want.fresh)
	expectClose(t, "rows held out", got.heldOut, want.heldOut)
}

// TestMachines: the three symmetric matrices of a kernel matrix, by hand.
func TestMachines(t *testing.T) {
	k := mat.NewDense(2, 2, []float64{1, 2, 0, -1})
	for m, want := range [][]float64{meanKernel: {1, 1, 1, -1}, sourceGram: {5, -2, -2, 1}, targetGram: {1, 2, 2, 5}}[1:] {
		expectClose(t, machines[m+1].String(), machines[m+1].of(k), blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: want})
	}
}

// expectClose compares matrices.
func expectClose(t *testing.T, what string, got, want blas64.General) {
	t.Helper()
	var a, b mat.Dense
	a.SetRawMatrix(got)
	b.SetRawMatrix(want)
	if !mat.EqualApprox(&a, &b, 1e-10) {
		t.Fatalf("%s is\n%v, want\n%v", what, mat.Formatted(&a), mat.Formatted(&b))
	}
}
