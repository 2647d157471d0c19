package paper4

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

func TestMain(m *testing.M) {
	blas64.Use(nyblas.Implementation{}) // as the program does
	os.Exit(m.Run())
}

func TestOptions(t *testing.T) {
	for _, args := range []string{"-only 3", "-sets sonar", "-repeats 0", "-graph a.csv", "more"} {
		if _, err := parseOptions(strings.Fields(args)); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	o, err := parseOptions(strings.Fields("-only uci -sets heart,pima -repeats 2"))
	if err != nil || len(o.only) != 1 || len(o.sets) != 2 || o.repeats != 2 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestRead: tables have the rows and columns that are published, and the rows that monks are
// learnt from come before those that they are tested on.
func TestRead(t *testing.T) {
	needData(t, "monks-1.train")
	sizes := map[string][2]int{"heart": {270, 13}, "monks1": {432, 6}, "monks1-given": {124 + 432, 6}, "pima": {768, 8}, "australian": {690, 14}, "spambase": {4601, 57}}
	for _, f := range tableFiles {
		d, err := f.read()
		if err != nil {
			t.Error(err)
			continue
		}
		if want, known := sizes[f.name]; known && (d.x.Rows != want[0] || d.x.Cols != want[1]) {
			t.Errorf("%s: %d rows of %d columns, expected %v", f.name, d.x.Rows, d.x.Cols, want)
		}
		if f.name == "monks1-given" && (len(d.given[0].Train) != 124 || d.given[0].Test[0] != 124 || d.given[0].Test[431] != 555) {
			t.Errorf("%s: learnt from %d rows", f.name, len(d.given[0].Train))
		}
	}
}

// needData skips a test where a file of the data is not there.
func needData(t *testing.T, file string) {
	t.Helper()
	if testing.Short() {
		t.Skip("seconds of arithmetic: run without -short")
	}
	if _, err := os.Stat(filepath.Join(datasets.Dir(), file)); err != nil {
		t.Skipf("no %s: set NYSTREAM_DATA to the folder of the data sets", file)
	}
}

// TestCora: both engines of a matrix see that γ = 1 is singular, solve the same ridge
// system, and stacking decides as the paper's figures say.
func TestCora(t *testing.T) {
	needData(t, "cora.edges.csv")
	ctx := context.Background()
	g, err := (&options{}).graph(ctx)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := split.Random(len(g.labels), 0.4, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := splits[0]
	kernel, err := g.loops.ScaledByDegrees(stream.RowStochastic)
	if err != nil {
		t.Fatal(err)
	}
	train, err := askls.Graph(g.name, kernel, s.Train, pick(g.labels, s.Train), g.classes)
	if err != nil {
		t.Fatal(err)
	}
	var biases [2][]float64
	for _, engine := range []askls.Engine{askls.EngineIterative, askls.EngineDense} {
		began := time.Now()
		fit, err := askls.Solver{Gamma: 1, Engine: engine, Merge: askls.MergeAverage}.Fit(ctx, stream.Engine{}, train, kernelgen.Kernel{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(time.Since(began), engine, fit.Condition, fit.Residual(), fit.Iterations, fit.Notes)
		if fit.Ridge != 1 || len(fit.Notes) == 0 || !(fit.Residual() < 1e-9) {
			t.Errorf("%v: ridge %v, condition %v, residual %v, notes %v", engine, fit.Ridge, fit.Condition, fit.Residual(), fit.Notes)
		}
		for side, b := range fit.Biases {
			for c, v := range biases[side] {
				if math.Abs(v-b[c]) > 1e-7 {
					t.Errorf("bias %d of class %d: %v and %v", side, c, v, b[c])
				}
			}
		}
		biases = fit.Biases
	}
	r := results{}
	f, err := g.learn(ctx, asymmetric, kernel, 1, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.add(asymmetric, [2]functions{f, f}, pick(g.labels, s.Train), pick(g.labels, s.Test)); err != nil {
		t.Fatal(err)
	}
	if f1 := r[asymmetric][1].micro[0]; f1 < 0.72 {
		t.Errorf("micro F1 %v stacked; the paper has .753", f1)
	}
}

// TestHeart: a table is read, tuned and measured.
func TestHeart(t *testing.T) {
	needData(t, "heart.dat")
	data, err := tableFiles[0].read()
	if err != nil {
		t.Fatal(err)
	}
	if data.x.Rows != 270 || data.x.Cols != 13 {
		t.Fatalf("%d×%d", data.x.Rows, data.x.Cols)
	}
	for j, m := range dense.ColumnMeans(data.x) {
		if math.Abs(m) > 1e-12 {
			t.Errorf("column %d has mean %v", j, m)
		}
	}
	splits, err := data.splits(1)
	if err != nil {
		t.Fatal(err)
	}
	r, oracle, err := data.measure(context.Background(), families()[2], splits)
	if err != nil {
		t.Fatal(err)
	}
	for _, machine := range machines {
		for merge, s := range r[machine] {
			if s.micro[0] < 0.75 {
				t.Errorf("%v, merge %d: accuracy %v; the paper has .825", machine, merge, s.micro[0])
			}
		}
	}
	if !(oracle[0] >= r[asymmetric][0].micro[0] && oracle[0] >= r[asymmetric][1].micro[0]) {
		t.Errorf("an oracle of %v, and accuracies %v", oracle, r[asymmetric])
	}
}

// whole returns the matrix of all samples that has k between training samples, and out and
// in beside them.
func whole(t *testing.T, s split.Split, k, out, in blas64.General) *stream.CSR {
	t.Helper()
	n := len(s.Train) + len(s.Test)
	m, err := stream.NewCSR(n, n, func(yield func(stream.Entry) bool) {
		for j, col := range s.Train {
			for i, row := range s.Train {
				if !yield(stream.Entry{Row: int32(row), Col: int32(col), Value: dense.Row(k, i)[j]}) {
					return
				}
			}
			for i, row := range s.Test {
				if !yield(stream.Entry{Row: int32(row), Col: int32(col), Value: dense.Row(out, i)[j]}) ||
					!yield(stream.Entry{Row: int32(col), Col: int32(row), Value: dense.Row(in, i)[j]}) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// askLS returns f_s and f_t of AsK-LS on other samples of a matrix.
func askLS(t *testing.T, solver askls.Solver, matrix *stream.CSR, train, test []int64, labels []int, classes int) blas64.General {
	t.Helper()
	data, err := askls.Graph("matrix", matrix, train, pick(labels, train), classes)
	if err != nil {
		t.Fatal(err)
	}
	solver.Engine = askls.EngineDense
	fit, err := solver.Fit(t.Context(), stream.Engine{}, data, kernelgen.Kernel{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := ofFit(t.Context(), fit, askls.NewNodes("matrix", matrix, test))
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
		for c, v := range dense.Row(want, i) {
			if d := dense.Row(got, i)[c] - v; !(math.Abs(d) <= 1e-10) {
				t.Fatalf("%s: row %d, function %d: off by %v", what, i, c, d)
			}
		}
	}
}

// halves are every fourth sample to test.
func halves(n int) (s split.Split) {
	for i := range int64(n) {
		if i%4 == 1 {
			s.Test = append(s.Test, i)
		} else {
			s.Train = append(s.Train, i)
		}
	}
	return s
}

// TestBaseline: AsK-LS with a kernel made symmetric is the LS-SVM (paper, Proposition 2),
// with a ridge too, and without a fold.
func TestBaseline(t *testing.T) {
	const n = 30
	ring, err := stream.NewCSR(n, n, func(yield func(stream.Entry) bool) {
		for i := range int32(n) {
			for _, step := range []int32{1, 4} {
				if !yield(stream.Entry{Row: i, Col: (i + step*(1+i%3)) % n, Value: 1 / float64(1+i%4)}) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var labels []int
	for i := range n {
		labels = append(labels, i*i%7%3)
	}
	s := halves(n)
	folds, err := split.StratifiedKFold(pick(labels, s.Train), foldCount, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, sym := range machines[1:] {
		for _, ridge := range []float64{0, 0.5} {
			k := part(ring, s.Train, s.Train)
			fresh := sym.beside(k, part(ring, s.Test, s.Train), part(ring.Transpose(), s.Test, s.Train))
			got, err := lsSVM{0.3, ridge}.functions(sym.of(k), fresh, pick(labels, s.Train), 3)
			if err != nil {
				t.Fatal(err)
			}
			matrix, solver := whole(t, s, sym.of(k), fresh, fresh), askls.Solver{Gamma: 0.3, Ridge: ridge}
			expectClose(t, sym.String(), got.fresh, askLS(t, solver, matrix, s.Train, s.Test, labels, 3))
			in, out := folds[3].Train, folds[3].Test
			expectClose(t, sym.String()+" without a fold", block(got.heldOut, out, stream.Numbers(6)),
				askLS(t, solver, matrix, numbered(s.Train, in), numbered(s.Train, out), labels, 3))
		}
	}
}

// numbered returns the numbers at some places.
func numbered(numbers, places []int64) []int64 {
	var out []int64
	for _, p := range places {
		out = append(out, numbers[p])
	}
	return out
}

// TestOfGraph: the matrix of a graph is made symmetric as that of rows is.
func TestOfGraph(t *testing.T) {
	k := stream.NewMatrix(7, 7)
	for i := range 7 {
		k.Data[7*i+i*i%7], k.Data[7*i+(3*i+1)%7] = 1, -0.5*float64(i)
	}
	s := split.Split{Train: stream.Numbers(7)}
	sparse := whole(t, s, k, blas64.General{}, blas64.General{})
	for _, sym := range machines[1:] {
		got, err := sym.ofGraph(sparse)
		if err != nil {
			t.Fatal(err)
		}
		expectClose(t, sym.String(), part(got, s.Train, s.Train), sym.of(k))
	}
}

// TestKernels: the matrices of a kernel of rows give the functions that the rows give.
func TestKernels(t *testing.T) {
	all := &table{x: stream.NewMatrix(40, 3)}
	for i := range 40 {
		all.labels = append(all.labels, i*i%5%2)
		for j := range 3 {
			all.x.Data[3*i+j] = math.Sin(float64(i*(j+2) + all.labels[i]))
		}
	}
	s := halves(40)
	train, test := all.part(s.Train), all.part(s.Test)
	for _, kernel := range []kernelgen.Kernel{kernelgen.SNE(0.7), kernelgen.T(), kernelgen.RBF(0.7)} {
		k, out, in, err := train.kernels(t.Context(), kernel, test)
		if err != nil {
			t.Fatal(err)
		}
		want, err := train.learn(t.Context(), asymmetric, kernel, 3, test)
		if err != nil {
			t.Fatal(err)
		}
		expectClose(t, kernel.String(), askLS(t, askls.Solver{Gamma: 3}, whole(t, s, k, out, in), s.Train, s.Test, all.labels, 2), want.fresh)
	}
}
