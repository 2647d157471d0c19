package paper4

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

func TestOptions(t *testing.T) {
	for _, args := range []string{"-only 3", "-sets sonar", "-repeats 0", "more"} {
		if _, err := parseOptions(strings.Fields(args)); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	o, err := parseOptions(strings.Fields("-only uci -sets heart,pima -repeats 2"))
	if err != nil || len(o.only) != 1 || len(o.sets) != 2 || o.repeats != 2 {
		t.Errorf("%+v, %v", o, err)
	}
}

// needData skips a test where a file of the data is missing.
func needData(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(datasets.Dir(), file)); err != nil {
		t.Skipf("no %s: set NYSTREAM_DATA to the folder of the data sets", file)
	}
}

// TestRead: tables have the published rows and columns, and given training rows come first.
func TestRead(t *testing.T) {
	needData(t, "monks-1.train")
	sizes := map[string][2]int{"heart": {270, 13}, "monks1": {432, 6}, "monks1-given": {124 + 432, 6}, "pima": {768, 8},
		"australian": {690, 14}, "spambase": {4601, 57}}
	for _, f := range tableFiles {
		d, err := f.read()
		if err != nil {
			t.Error(err)
			continue
		}
		if want, known := sizes[f.name]; known && (d.x.Rows != want[0] || d.x.Cols != want[1]) {
			t.Errorf("%s: %d rows of %d columns, want %v", f.name, d.x.Rows, d.x.Cols, want)
		}
		if f.name == "monks1-given" {
			if s := d.given[0]; len(s.Train) != 124 || s.Test[0] != 124 || s.Test[431] != 555 {
				t.Errorf("%s: %d training rows", f.name, len(s.Train))
			}
		}
	}
}

// TestHeart tunes and measures AsK-LS with the kernel T on a table.
func TestHeart(t *testing.T) {
	needData(t, "heart.dat")
	data, err := tableFiles[0].read()
	if err != nil {
		t.Fatal(err)
	}
	splits, err := data.splits(1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := data.measure(t.Context(), families[2], splits)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range r {
		if s[0].Micro < 0.75 {
			t.Errorf("%v: accuracy %v; the paper has .825", merges[i], s[0].Micro)
		}
	}
}

// sample returns a made table of two classes, and a split of it.
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

// TestSymmetric holds AsK-LS with RBF to the LS-SVM of its kernel matrix (paper,
// Proposition 2), on test rows and on rows held out.
func TestSymmetric(t *testing.T) {
	d, s := sample()
	got, err := d.part(s.Train).learn(t.Context(), kernelgen.RBF(0.7), 3, d.part(s.Test))
	if err != nil {
		t.Fatal(err)
	}
	k := stream.NewMatrix(40, 40)
	for i := range 40 {
		for j := range 40 {
			r := 0.0
			for c := range 3 {
				r += math.Pow(row(d.x, i)[c]-row(d.x, j)[c], 2)
			}
			row(k, i)[j] = math.Exp(-0.7 * r)
		}
	}
	train, fresh := lssvm.Submatrix(k, s.Train, s.Train), lssvm.Submatrix(k, s.Test, s.Train)
	want, err := learnSymmetric(lssvm.Bordered{Gamma: 3}, train, fresh, scores.Picked(d.labels, s.Train), 2)
	if err != nil {
		t.Fatal(err)
	}
	expectClose(t, "test rows", got.fresh, want.fresh)
	expectClose(t, "rows held out", got.heldOut, want.heldOut)
	for _, merge := range merges {
		score, err := got.score(got.fresh, merge, scores.Picked(d.labels, s.Train), scores.Picked(d.labels, s.Test))
		if err != nil || score.Micro < 0.5 {
			t.Errorf("%v: %+v, %v", merge, score, err)
		}
	}
}

// TestMachines holds the LS-SVMs of a graph to AsK-LS with the same symmetric matrix, with
// a ridge and without.
func TestMachines(t *testing.T) {
	d, s := sample()
	k := mat.NewDense(40, 40, nil)
	for i := range 40 {
		for _, step := range []int{1, 4} {
			k.Set(i, (i+step*(1+i%3))%40, 1/float64(1+i%4))
		}
	}
	var mean, gram, outer mat.Dense
	mean.Add(k, k.T())
	mean.Scale(0.5, &mean)
	outer.Mul(k, k.T())
	gram.Mul(k.T(), k)
	for m, want := range map[machine]*mat.Dense{meanKernel: &mean, sourceGram: &outer, targetGram: &gram} {
		all := m.of(k)
		expectClose(t, m.String(), all, want.RawMatrix())
		for _, ridge := range []float64{0, 0.5} {
			train, fresh := lssvm.Submatrix(all, s.Train, s.Train), lssvm.Submatrix(all, s.Test, s.Train)
			labels := scores.Picked(d.labels, s.Train)
			got, err := learnSymmetric(lssvm.Bordered{Gamma: 0.3, Ridge: ridge}, train, fresh, labels, 2)
			if err != nil {
				t.Fatal(err)
			}
			want := askLS(t, askls.Solver{Gamma: 0.3, Ridge: ridge}, want, s, labels)
			expectClose(t, m.String(), got.fresh, want)
		}
	}
}

// askLS returns the functions of AsK-LS on the other samples of a matrix.
func askLS(t *testing.T, solver askls.Solver, k *mat.Dense, s split.Split, labels []int) blas64.General {
	t.Helper()
	n, _ := k.Dims()
	sparse, err := stream.NewCSR(n, n, func(yield func(stream.Entry) bool) {
		for i := range n {
			for j := range n {
				if !yield(stream.Entry{Row: int32(i), Col: int32(j), Value: k.At(i, j)}) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := askls.Graph("matrix", sparse, s.Train, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	solver.Engine = askls.EngineDense
	fit, err := solver.Fit(t.Context(), stream.Engine{}, data, kernelgen.Kernel{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ofFit(t.Context(), fit, askls.NewNodes("matrix", sparse, s.Test))
	if err != nil {
		t.Fatal(err)
	}
	return f.fresh
}

func expectClose(t *testing.T, what string, got, want blas64.General) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols || want.Rows == 0 {
		t.Fatalf("%s: %d×%d, want %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for i := range want.Rows {
		for c, v := range row(want, i) {
			if d := row(got, i)[c] - v; !(math.Abs(d) <= 1e-10) {
				t.Fatalf("%s: row %d, column %d: off by %v", what, i, c, d)
			}
		}
	}
}
