package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
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

// TestNumbersOf: headers and ARFF declarations are no rows.
func TestNumbersOf(t *testing.T) {
	for line, want := range map[string]int{"1,2.5,3": 3, "1 2\t3 4": 4, "@attribute class {0,1}": 0, "0,1,class": 0, "": 0} {
		if got := len(numbersOf(line)); got != want {
			t.Errorf("%q: %d numbers, want %d", line, got, want)
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
	train, err := askls.Graph(g.name, g.kernel, s.Train, pick(g.labels, s.Train), g.classes)
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
	stacked, err := askls.Solver{Gamma: 1, Ridge: 1, Merge: askls.MergeStack, Seed: 1}.Fit(ctx, stream.Engine{}, train, kernelgen.Kernel{})
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := stacked.Predict(ctx, stream.Engine{}, askls.NewNodes(g.name, g.kernel, s.Test))
	if err != nil {
		t.Fatal(err)
	}
	if f1, err := metrics.Accuracy(pick(g.labels, s.Test), predicted); err != nil || f1 < 0.72 {
		t.Errorf("micro F1 %v, %v; the paper has .753", f1, err)
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
	average, _, err := data.measure(context.Background(), families()[2], 1)
	if err != nil || average[0] < 0.75 {
		t.Errorf("accuracy %v, %v; the paper has .825", average, err)
	}
}

// TestBaseline: AsK-LS with a kernel made symmetric is the LS-SVM (paper, Proposition 2),
// with a ridge too.
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
	g := &classedGraph{name: "ring", kernel: ring, classes: 3}
	var s split.Split
	for i := range int64(n) {
		g.labels = append(g.labels, int(i*i%7%3))
		if i%4 == 1 {
			s.Test = append(s.Test, i)
		} else {
			s.Train = append(s.Train, i)
		}
	}
	for _, sym := range []symmetry{meanKernel, sourceGram, targetGram} {
		for _, ridge := range []float64{0, 0.5} {
			k := part(ring, s.Train, s.Train)
			fresh := sym.beside(k, part(ring, s.Test, s.Train), part(ring.Transpose(), s.Test, s.Train))
			got, err := lsSVM(sym.of(k), fresh, pick(g.labels, s.Train), 3, 0.3, ridge)
			if err != nil {
				t.Fatal(err)
			}
			// The symmetric matrix of all nodes that has K made symmetric between the training
			// nodes and fresh beside them.
			whole := stream.NewMatrix(n, n)
			for i, row := range s.Train {
				for j, col := range s.Train {
					whole.Data[int(row)*n+int(col)] = sym.of(k).Data[i*len(s.Train)+j]
				}
			}
			for i, row := range s.Test {
				for j, col := range s.Train {
					v := dense.Row(fresh, i)[j]
					whole.Data[int(row)*n+int(col)], whole.Data[int(col)*n+int(row)] = v, v
				}
			}
			matrix, err := stream.NewCSR(n, n, func(yield func(stream.Entry) bool) {
				for i := range int32(n) {
					for j, v := range dense.Row(whole, int(i)) {
						if !yield(stream.Entry{Row: i, Col: int32(j), Value: v}) {
							return
						}
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			train, err := askls.Graph("symmetric", matrix, s.Train, pick(g.labels, s.Train), 3)
			if err != nil {
				t.Fatal(err)
			}
			fit, err := askls.Solver{Gamma: 0.3, Ridge: ridge, Engine: askls.EngineDense}.Fit(t.Context(), stream.Engine{}, train, kernelgen.Kernel{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := fit.Decisions(t.Context(), stream.Engine{}, askls.NewNodes("symmetric", matrix, s.Test))
			if err != nil {
				t.Fatal(err)
			}
			for i := range want.Rows {
				for c, v := range dense.Row(want, i) {
					if d := dense.Row(got, i)[c] - v; !(math.Abs(d) <= 1e-10) {
						t.Fatalf("symmetry %d, ridge %v: node %d, class %d: off by %v", sym, ridge, i, c, d)
					}
				}
			}
		}
	}
}
