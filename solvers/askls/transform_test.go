package askls

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// transformed returns the output of Transform.
func transformed(t *testing.T, m *Model, rows stream.Source) blas64.General {
	t.Helper()
	out := blas64.General{Cols: m.Classes, Stride: m.Classes}
	err := m.Transform(ctx, stream.Engine{BlockRows: 7}, rows, model.Request{}, func(_ *stream.Block, d blas64.General) error {
		out.Data = append(out.Data, d.Data[:d.Rows*d.Cols]...)
		out.Rows += d.Rows
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTransformMatrix: a sample of an explicit matrix has the same decisions as a node of the square matrix, as a new
// node with edges both ways, and as a dense row with both halves.
func TestTransformMatrix(t *testing.T) {
	k := randomGraph(t, 80, 300, 4)
	train, _, labels := nodesOf(80)
	data, err := Graph("g", k, train, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := Solver{C: 0.6, Ridge: 0.3, Algorithm: AlgorithmDense, Merge: MergeStack, Folds: 4}.Fit(ctx, stream.Engine{}, data, parse(t, "linear()"))
	if err != nil {
		t.Fatal(err)
	}
	want := transformed(t, fit.Model, sparse.NewRows("g", k, nil))
	order := []int64{7, 3, 79, 0, 41}
	fresh := sparse.NewRows("new", k.PickRows(order), nil)
	fresh.Into = k.Transpose().PickRows(order)
	got := transformed(t, fit.Model, fresh)
	for i, node := range order {
		expect(t, "new nodes", matrix.Rows(got, i, 1), matrix.Rows(want, int(node), 1), 1e-14)
	}
	both := matrix.New(80, 160)
	for e := range k.Entries() {
		both.Data[int(e.Row)*160+int(e.Col)] = e.Value
		both.Data[int(e.Col)*160+80+int(e.Row)] = e.Value
	}
	expect(t, "dense rows", transformed(t, fit.Model, source(both)), want, 1e-13)
	narrow := source(matrix.New(3, 80))
	err = fit.Transform(ctx, stream.Engine{}, narrow, model.Request{}, nil)
	if err == nil || !strings.Contains(err.Error(), "expected 160") {
		t.Errorf("rows of one side: %v", err)
	}
}

// TestProbabilities: probabilities are those of each class against the rest, divided by their sum, even if all of them
// underflow.
func TestProbabilities(t *testing.T) {
	m := &Model{Classes: 3, Merge: MergeStack}
	odds := blas64.General{Rows: 3, Cols: 3, Stride: 3, Data: []float64{0, math.Log(3), -math.Log(3), -800, -800, -2000, 900, -900, -900}}
	got := matrix.New(3, 3)
	probabilities(got, odds)
	want := blas64.General{Rows: 3, Cols: 3, Stride: 3, Data: []float64{1. / 3, 0.5, 1. / 6, 0.5, 0.5, 0, 1, 0, 0}}
	expect(t, "probabilities", got, want, 1e-14)
	m.Merge = MergeAverage
	if _, err := m.Outputs(model.Left, model.Probability); err == nil || !strings.Contains(err.Error(), "`Merge stack`") {
		t.Errorf("averaged functions: %v", err)
	}
}
