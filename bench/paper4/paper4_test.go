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
	"github.com/nystream/nystream/bench/split"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/nyblas"
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
	train, err := askls.Graph(g.name, g.kernel, s.Train)
	if err != nil {
		t.Fatal(err)
	}
	var biases [2][]float64
	for _, engine := range []askls.Engine{askls.EngineIterative, askls.EngineDense} {
		began := time.Now()
		fit, err := askls.Solver{Gamma: 1, Engine: engine, Merge: askls.MergeAverage}.Fit(ctx, stream.Engine{}, train, pick(g.labels, s.Train), g.classes)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(time.Since(began), engine, fit.Condition, fit.Residual, fit.Iterations, fit.Notes)
		if fit.Ridge != 1 || len(fit.Notes) == 0 || !(fit.Residual < 1e-9) {
			t.Errorf("%v: ridge %v, condition %v, residual %v, notes %v", engine, fit.Ridge, fit.Condition, fit.Residual, fit.Notes)
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
	stacked, err := askls.Solver{Gamma: 1, Ridge: 1, Merge: askls.MergeStack, Seed: 1}.Fit(ctx, stream.Engine{}, train, pick(g.labels, s.Train), g.classes)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := stacked.Predict(ctx, stream.Engine{}, askls.NewNodes(g.name, g.kernel, s.Test))
	if err != nil {
		t.Fatal(err)
	}
	if f1, err := metrics.MicroF1(pick(g.labels, s.Test), predicted); err != nil || f1 < 0.72 {
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
