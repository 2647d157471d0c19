package askls

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// fitted are a fit of each kind, with rows to decide on.
func fitted(t *testing.T, e stream.Engine, merge Merge) map[string]struct {
	fit  *Fit
	rows Rows
} {
	t.Helper()
	type pair = struct {
		fit  *Fit
		rows Rows
	}
	x, labels := clouds(80, 3, 3, 2, 1)
	fresh, _ := clouds(30, 3, 3, 2, 2)
	k := randomGraph(t, 80, 200, 4)
	train, test, nodeLabels := nodesOf(80)
	graph, err := Graph("g", k, train)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := Samples(source(x), parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	views, err := Views(source(x), source(randomMatrix(80, 3, 8)), parse(t, "rbf(gamma=0.3)"))
	if err != nil {
		t.Fatal(err)
	}
	adjacency, err := ksvd.Graph("a", k)
	if err != nil {
		t.Fatal(err)
	}
	edges, err := FromKSVD(adjacency, parse(t, "rbf(gamma=0.3)"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]pair{}
	for what, c := range map[string]struct {
		data   *Data
		labels []int
		rows   Rows
	}{
		"graph":   {graph, nodeLabels, NewNodes("g", k, test)},
		"samples": {samples, labels, NewSamples(source(fresh))},
		"views":   {views, labels, NewViews(source(fresh), source(randomMatrix(30, 3, 3)))},
		"edges":   {edges, labels, NewNodes("g", k, test)},
	} {
		for _, engine := range []Engine{EngineDense, EngineIterative, EngineLowRank} {
			if what == "graph" && engine == EngineLowRank {
				continue
			}
			m := Solver{Gamma: 0.6, Ridge: 0.3, Engine: engine, Merge: merge, Rank: 12, Samples: 40, Folds: 4}
			fit, err := m.Fit(ctx, e, c.data, c.labels, 3)
			if err != nil {
				t.Fatal(what, engine, err)
			}
			all[what+" "+engine.String()] = pair{fit, c.rows}
		}
	}
	return all
}

// TestSave: a model loaded decides as the one saved, to the bit.
func TestSave(t *testing.T) {
	for what, f := range fitted(t, stream.Engine{}, MergeStack) {
		h, arrays := f.fit.Save()
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		var read Header
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(read, arrays)
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
		again, arraysAgain := loaded.Save()
		if diff := cmp.Diff(h, again) + cmp.Diff(arrays, arraysAgain); diff != "" {
			t.Errorf("%s, saved again: %s", what, diff)
		}
	}
}

// TestDamaged: a model with an array that is missing, short or not finite is refused.
func TestDamaged(t *testing.T) {
	for what, f := range fitted(t, stream.Engine{}, MergeStack) {
		h, arrays := f.fit.Save()
		for i, a := range arrays {
			for kind, damaged := range map[string]lowrank.Array{
				"renamed": {Name: "x", Rows: a.Rows, Cols: a.Cols, Floats: a.Floats, Ints: a.Ints},
				"empty":   {Name: a.Name},
				"NaN":     {Name: a.Name, Rows: a.Rows, Cols: a.Cols, Floats: nanFirst(a.Floats), Ints: reversed(a.Ints)},
			} {
				with := append([]lowrank.Array(nil), arrays...)
				with[i] = damaged
				m, err := Load(h, with)
				if err == nil && kind != "renamed" {
					t.Errorf("%s: array %s %s: no error, %d classes", what, a.Name, kind, m.Classes)
				}
			}
		}
		for kind, change := range map[string]func(*Header){
			"method":  func(h *Header) { h.Method = "ksvd" },
			"classes": func(h *Header) { h.Classes = 4 },
			"none":    func(h *Header) { h.Classes = 0 },
			"merge":   func(h *Header) { h.Merge = "mix" },
			"engine":  func(h *Header) { h.Engine = "" },
			"kind":    func(h *Header) { h.Nodes, h.Functions = 0, nil },
		} {
			other := h
			change(&other)
			if _, err := Load(other, arrays); err == nil {
				t.Errorf("%s: header with another %s: no error", what, kind)
			}
		}
	}
}

func nanFirst(v []float64) []float64 {
	if len(v) == 0 {
		return v
	}
	out := append([]float64(nil), v...)
	out[0] = math.NaN()
	return out
}

func reversed(v []int64) []int64 {
	var out []int64
	for i := range v {
		out = append(out, v[len(v)-1-i]+1)
	}
	return out
}

// TestThreads: the same bits for any number of threads.
func TestThreads(t *testing.T) {
	for _, merge := range []Merge{MergeStack, MergeAverage} {
		one := fitted(t, stream.Engine{Threads: 1, BlockRows: 16}, merge)
		many := fitted(t, stream.Engine{Threads: 5, BlockRows: 16}, merge)
		for what, f := range one {
			h, arrays := f.fit.Save()
			h2, arrays2 := many[what].fit.Save()
			if diff := cmp.Diff(h, h2) + cmp.Diff(arrays, arrays2) + cmp.Diff(f.fit.Notes, many[what].fit.Notes); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
			a, err := f.fit.Decisions(ctx, stream.Engine{Threads: 1}, f.rows)
			b, err2 := f.fit.Decisions(ctx, stream.Engine{Threads: 4, BlockRows: 3}, f.rows)
			if err != nil || err2 != nil || cmp.Diff(a.Data, b.Data) != "" {
				t.Errorf("%s: %v %v, decisions differ", what, err, err2)
			}
		}
	}
}

// TestMerge: what each way makes of the two functions.
func TestMerge(t *testing.T) {
	both := blas64.General{Rows: 1, Cols: 4, Stride: 4, Data: []float64{1, -2, 5, 7}}
	for merge, want := range map[Merge][]float64{MergeAverage: {3, 2.5}, MergeAdd: {6, 5}, MergeSource: {1, -2}, MergeTarget: {5, 7}, MergeStack: {52.5, 39}} {
		m := &Model{Classes: 2, Merge: merge, Stack: blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{2, 10, 0.5, -1, 5, 2}}}
		dst := stream.NewMatrix(1, 2)
		m.Decide(dst, both)
		if diff := cmp.Diff(want, dst.Data); diff != "" {
			t.Errorf("%v: %s", merge, diff)
		}
	}
}

// TestStackGradient: functions held out are those that stacking learns from: stacked decisions
// are log-odds with the gradient of the regression at 0.
func TestStackGradient(t *testing.T) {
	for what, f := range fitted(t, stream.Engine{}, MergeStack) {
		fit := f.fit
		decisions := stream.NewMatrix(fit.HeldOut.Rows, 3)
		fit.Decide(decisions, fit.HeldOut)
		labels := make([]int, fit.HeldOut.Rows)
		_, samples := clouds(80, 3, 3, 2, 1)
		_, _, nodes := nodesOf(80)
		if copy(labels, samples); fit.Edges != nil {
			copy(labels, nodes)
		}
		for c := range 3 {
			gradient := 1e-6 * fit.Stack.Data[3*c]
			for i := range labels {
				y := 0.0
				if labels[i] == c {
					y = 1
				}
				gradient += (1/(1+math.Exp(-decisions.Data[3*i+c])) - y) * fit.HeldOut.Data[i*6+c]
			}
			if math.Abs(gradient) > 1e-7 {
				t.Errorf("%s: class %d: gradient %v", what, c, gradient)
			}
		}
	}
}
