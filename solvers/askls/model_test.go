package askls

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// fitted returns a fit of each kind of data, with new rows.
func fitted(t *testing.T, e stream.Engine, merge Merge) map[string]struct {
	fit  *Fit
	rows stream.Source
} {
	t.Helper()
	type pair = struct {
		fit  *Fit
		rows stream.Source
	}
	x, labels := clouds(80, 3, 3, 2, 1)
	fresh, _ := clouds(30, 3, 3, 2, 2)
	k := randomGraph(t, 80, 200, 4)
	train, test, nodeLabels := nodesOf(80)
	graph, err := Graph("g", k, train, nodeLabels, 3)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]pair{}
	for what, c := range map[string]struct {
		data   *Data
		kernel string
		rows   stream.Source
	}{
		"graph":   {graph, "linear()", NewNodes("g", k, test)},
		"samples": {samples, "sne(gamma=2)", source(fresh)},
		"plain":   {samples, "rbf(gamma=0.3)", source(fresh)},
	} {
		for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
			if what == "graph" && engine == AlgorithmLowRank {
				continue
			}
			m := Solver{C: 0.6, Ridge: 0.3, Algorithm: engine, Merge: merge, Rank: 12, Landmarks: 40, Folds: 4}
			fit, err := m.Fit(ctx, e, c.data, parse(t, c.kernel))
			if err != nil {
				t.Fatal(what, engine, err)
			}
			all[what+" "+engine.String()] = pair{fit, c.rows}
		}
	}
	return all
}

// saved returns the archive of a model.
func saved(t *testing.T, m *Model) *model.Archive {
	t.Helper()
	a, err := m.Save()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// copied returns an independent copy of an archive, as read from a file.
func copied(a *model.Archive) *model.Archive {
	return &model.Archive{Header: slices.Clone(a.Header), Arrays: slices.Clone(a.Arrays)}
}

// TestSave: a loaded model has the same decisions as the saved one, bit for bit.
func TestSave(t *testing.T) {
	for what, f := range fitted(t, stream.Engine{}, MergeStack) {
		a := saved(t, f.fit.Model)
		loaded, err := Load(copied(a))
		if err != nil {
			t.Fatal(what, err)
		}
		want, err := f.fit.Decisions(ctx, stream.Engine{}, f.rows)
		got, err2 := loaded.Decisions(ctx, stream.Engine{BlockRows: 5}, f.rows)
		if err != nil || err2 != nil {
			t.Fatal(what, err, err2)
		}
		if diff := cmp.Diff(want.Data, got.Data); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		again := saved(t, loaded)
		if diff := cmp.Diff(string(a.Header), string(again.Header)) + cmp.Diff(a.Arrays, again.Arrays); diff != "" {
			t.Errorf("%s, saved again: %s", what, diff)
		}
	}
}

// TestFormat: the bytes of headers and the order of arrays have not changed since the first version.
func TestFormat(t *testing.T) {
	fits := fitted(t, stream.Engine{}, MergeStack)
	const side = `{"dimension":3}`
	for what, want := range map[string]struct{ header, arrays string }{
		"graph dense": {`{"method":"askls","classes":3,"samples":53,"C":0.6,"ridge":0.3,"engine":"dense","merge":"stack","seed":0,"nodes":80}`,
			"source_bias target_bias stack train source_duals target_duals"},
		"plain iterative": {`{"method":"askls","classes":3,"samples":80,"C":0.6,"ridge":0.3,"engine":"iterative","merge":"stack","seed":0,` +
			`"functions":{"method":"ksvd","solver":"functions","kernel":"rbf(gamma=0.3)","seed":0,"rows":80,"columns":80,"rank":3,"centred":false,"sums":"exact","compatibility":"identity","left":` + side + `,"right":` + side + `}}`,
			"source_bias target_bias stack values u_landmarks u_landmark_rows u_projection u_weights v_landmarks v_landmark_rows v_projection v_weights"},
	} {
		a := saved(t, fits[what].fit.Model)
		if got := strings.Join(a.Names(), " "); string(a.Header) != want.header || got != want.arrays {
			t.Errorf("%s:\n%s\n%s", what, a.Header, got)
		}
	}
}

// TestDamaged: Load refuses a model with a wrong header.
func TestDamaged(t *testing.T) {
	for what, f := range fitted(t, stream.Engine{}, MergeStack) {
		whole := saved(t, f.fit.Model)
		for kind, change := range map[string]func(map[string]any){
			"method":  func(h map[string]any) { h["method"] = "ksvd" },
			"classes": func(h map[string]any) { h["classes"] = 4 },
			"none":    func(h map[string]any) { h["classes"] = 0 },
			"penalty": func(h map[string]any) { delete(h, "C") },
			"merge":   func(h map[string]any) { h["merge"] = "mix" },
			"engine":  func(h map[string]any) { h["engine"] = "" },
			"kind":    func(h map[string]any) { delete(h, "nodes"); delete(h, "functions") },
		} {
			header := map[string]any{}
			if err := json.Unmarshal(whole.Header, &header); err != nil {
				t.Fatal(err)
			}
			change(header)
			other, err := model.NewArchive(header)
			if err != nil {
				t.Fatal(err)
			}
			other.Arrays = slices.Clone(whole.Arrays)
			if _, err := Load(other); err == nil {
				t.Errorf("%s: header with another %s: no error", what, kind)
			}
		}
	}
}

// TestTransform: decisions do not depend on the size of blocks. Nodes of a square matrix have the decisions of nodes
// with outgoing and incoming edges.
func TestTransform(t *testing.T) {
	fits := fitted(t, stream.Engine{}, MergeAverage)
	fresh, _ := clouds(30, 3, 3, 2, 2)
	k := randomGraph(t, 80, 200, 4)
	for what, c := range map[string]struct {
		src  stream.Source
		rows stream.Source
	}{
		"samples lowrank": {source(fresh), source(fresh)},
		"plain dense":     {source(fresh), source(fresh)},
		"graph iterative": {sparse.NewRows("g", k, nil), NewNodes("g", k, matrix.Numbers(80))},
	} {
		m := fits[what].fit.Model
		want, err := m.Decisions(ctx, stream.Engine{}, c.rows)
		if err != nil {
			t.Fatal(what, err)
		}
		var got []float64
		err = m.Transform(ctx, stream.Engine{BlockRows: 7}, c.src, model.Request{}, func(_ *stream.Block, out blas64.General) error {
			for i := range out.Rows {
				got = append(got, matrix.Row(out, i)...)
			}
			return nil
		})
		if err != nil || cmp.Diff(want.Data, got) != "" {
			t.Errorf("%s: %v, %d numbers, expected %d", what, err, len(got), len(want.Data))
		}
		names, err := m.Outputs(model.Left, model.Coordinates)
		if err != nil || len(names) != want.Cols || names[2] != "decision2" {
			t.Errorf("%s: outputs %q, %v", what, names, err)
		}
		if _, err := m.Outputs(model.Right, model.Coordinates); err == nil {
			t.Errorf("%s: outputs of another side", what)
		}
		if p := m.TransformPlan(stream.Engine{Threads: 2}, c.src, model.Request{}); p.Memory.Total() < model.RuntimeBytes+8*int64(want.Rows*want.Cols) || p.SourcePasses != 1 {
			t.Errorf("%s: plan %v", what, p)
		}
		if d := m.Describe(); d.Method != Name || d.Rank != 3 || d.Columns != m.Dimension(model.Left) || d.Rows != m.Samples {
			t.Errorf("%s: %+v", what, d)
		}
	}
	some := sparse.NewRows("some", k.PickRows([]int64{1, 2}), nil)
	if err := fits["graph dense"].fit.Transform(ctx, stream.Engine{}, some, model.Request{}, nil); err == nil {
		t.Error("decisions on nodes of which half the edges are known")
	}
}

// TestThreads: results have the same bits for any number of threads.
func TestThreads(t *testing.T) {
	for _, merge := range []Merge{MergeStack, MergeAverage} {
		one := fitted(t, stream.Engine{Threads: 1, BlockRows: 16}, merge)
		many := fitted(t, stream.Engine{Threads: 5, BlockRows: 16}, merge)
		for what, f := range one {
			a, b := saved(t, f.fit.Model), saved(t, many[what].fit.Model)
			if diff := cmp.Diff(string(a.Header), string(b.Header)) + cmp.Diff(a.Arrays, b.Arrays) + cmp.Diff(f.fit.Notes, many[what].fit.Notes); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
			one, err := f.fit.Decisions(ctx, stream.Engine{Threads: 1}, f.rows)
			four, err2 := f.fit.Decisions(ctx, stream.Engine{Threads: 4, BlockRows: 3}, f.rows)
			if err != nil || err2 != nil || cmp.Diff(one.Data, four.Data) != "" {
				t.Errorf("%s: %v %v, decisions differ", what, err, err2)
			}
		}
	}
}

// TestMerge: the decisions of each merge of the two functions, by hand.
func TestMerge(t *testing.T) {
	both := blas64.General{Rows: 1, Cols: 4, Stride: 4, Data: []float64{1, -2, 5, 7}}
	for merge, want := range map[Merge][]float64{MergeAverage: {3, 2.5}, MergeSource: {1, -2}, MergeTarget: {5, 7}, MergeStack: {52.5, 39}} {
		m := &Model{Classes: 2, Merge: merge, Stack: blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{2, 10, 0.5, -1, 5, 2}}}
		dst := matrix.New(1, 2)
		m.Decide(dst, both)
		if diff := cmp.Diff(want, dst.Data); diff != "" {
			t.Errorf("%v: %s", merge, diff)
		}
	}
}

// TestStackGradient: stacking learns from out-of-fold functions. The gradient of its regression with smoothed labels is
// 0.
func TestStackGradient(t *testing.T) {
	for what, f := range fitted(t, stream.Engine{}, MergeStack) {
		fit := f.fit
		decisions := matrix.New(fit.HeldOut.Rows, 3)
		fit.Decide(decisions, fit.HeldOut)
		labels := make([]int, fit.HeldOut.Rows)
		_, samples := clouds(80, 3, 3, 2, 1)
		_, _, nodes := nodesOf(80)
		if copy(labels, samples); fit.Edges != nil {
			copy(labels, nodes)
		}
		for c := range 3 {
			size := 0.0
			for _, l := range labels {
				if l == c {
					size++
				}
			}
			if size == 0 {
				continue // the odds are clipped
			}
			gradient := 0.0
			for i := range labels {
				y := 1 / (float64(len(labels)) - size + 2)
				if labels[i] == c {
					y = (size + 1) / (size + 2)
				}
				gradient += (1/(1+math.Exp(-decisions.Data[3*i+c])) - y) * fit.HeldOut.Data[i*6+c]
			}
			if math.Abs(gradient) > 1e-7 {
				t.Errorf("%s: class %d: gradient %v", what, c, gradient)
			}
		}
	}
}
