package askls

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// TestNasty: odd data are fitted, or refused with a reason; no fit panics or hangs.
func TestNasty(t *testing.T) {
	x, labels := clouds(30, 2, 3, 2, 1)
	changed := func(change func(blas64.General)) blas64.General {
		y := matrix.Clone(x)
		change(y)
		return y
	}
	scaled := func(by float64) blas64.General {
		return changed(func(y blas64.General) {
			for i := range y.Data {
				y.Data[i] *= by
			}
		})
	}
	for what, c := range map[string]struct {
		x       blas64.General
		labels  []int
		classes int
		kernel  string
		refused string // part of the error; "" for none, "?" for either
	}{
		"one row":             {matrix.Rows(x, 0, 1), []int{0}, 2, "sne(gamma=2)", "?"},
		"two rows":            {matrix.Rows(x, 0, 2), []int{0, 1}, 2, "sne(gamma=2)", ""},
		"equal rows":          {matrix.New(30, 2), labels, 3, "t()", ""},
		"one class":           {x, make([]int, 30), 1, "t()", ""},
		"class without rows":  {x, labels, 5, "t()", ""},
		"constant column":     {changed(func(y blas64.General) { y.Data[0] = 1 }), labels, 3, "sne(gamma=2)", ""},
		"huge":                {scaled(1e150), labels, 3, "sne(gamma=2)", ""},
		"huge products":       {scaled(1e200), labels, 3, "linear()", "scale"},
		"tiny":                {scaled(1e-200), labels, 3, "linear()", ""},
		"NaN":                 {changed(func(y blas64.General) { y.Data[7] = math.NaN() }), labels, 3, "t()", "NaN"},
		"infinite":            {changed(func(y blas64.General) { y.Data[7] = math.Inf(1) }), labels, 3, "t()", "Inf"},
		"negative divergence": {x, labels, 3, "kl(a=1)", "?"},
		"label":               {x, labels, 2, "t()", "none of the classes"},
		"labels missing":      {x, labels[:29], 3, "t()", "labels for 29"},
	} {
		data, err := Samples(source(c.x), c.labels, c.classes)
		if err != nil {
			if c.refused == "" || !strings.Contains(err.Error(), c.refused) {
				t.Error(what, err)
			}
			continue
		}
		for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
			for _, merge := range []Merge{MergeAverage, MergeStack} {
				fit, err := Solver{C: 0.5, Algorithm: engine, Merge: merge, Rank: 5, Folds: 3 * (c.x.Rows / 30)}.Fit(ctx, stream.Engine{}, data, parse(t, c.kernel))
				switch {
				case err != nil && (c.refused == "" || c.refused != "?" && !strings.Contains(err.Error(), c.refused)) && !(merge == MergeStack && c.x.Rows < 3):
					t.Errorf("%s, %v, %v: %v", what, engine, merge, err)
				case err == nil && c.refused != "" && c.refused != "?":
					t.Errorf("%s, %v, %v: no error", what, engine, merge)
				case err == nil:
					d, err := fit.Decisions(ctx, stream.Engine{}, source(c.x))
					if err != nil || !dense.Finite(d) {
						t.Errorf("%s, %v, %v: %v, decisions %v", what, engine, merge, err, d.Data[:min(6, len(d.Data))])
					}
				}
			}
		}
	}
}

// TestPreconditionerError: the error of a preconditioner is one line.
func TestPreconditionerError(t *testing.T) {
	x, labels := clouds(30, 2, 3, 2, 1)
	x.Data[0] = 1e200
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	f := &fit{Solver: Solver{C: 0.5, Rank: 29}, data: data, kernel: parse(t, "linear()"), targets: matrix.New(30, 3)}
	if _, err = f.preconditioner(ctx, newSolution()); err == nil || !strings.HasPrefix(err.Error(), "the preconditioner: entry (") {
		t.Error(err)
	}
}

// TestAbsentClass: the decision for a class without samples is negative everywhere.
func TestAbsentClass(t *testing.T) {
	x, labels := clouds(30, 2, 2, 2, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
		for merge, want := range map[Merge]float64{MergeAverage: -1, MergeStack: -maxLogOdds} {
			fit, err := Solver{C: 0.5, Algorithm: engine, Merge: merge, Rank: 5}.Fit(ctx, stream.Engine{}, data, kernelgen.StudentT())
			if err != nil {
				t.Fatal(err)
			}
			d, err := fit.Decisions(ctx, stream.Engine{}, source(x))
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.Rows {
				if math.Abs(d.Data[3*i+2]-want) > 1e-8 {
					t.Fatalf("%v %v: decision %v on a class without samples, want %v", engine, merge, d.Data[3*i+2], want)
				}
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	x, labels := clouds(30, 2, 3, 2, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(m Solver) error {
		_, err := m.Fit(ctx, stream.Engine{}, data, kernelgen.StudentT())
		return err
	}
	graph := randomGraph(t, 30, 50, 1)
	edges, err := Graph("g", graph, nil, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Graph("alone", randomGraph(t, 30, 5, 1), nil, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	_, lowRank := Solver{C: 1, Algorithm: AlgorithmLowRank}.Fit(ctx, stream.Engine{}, edges, kernelgen.Kernel{})
	_, smallRidge := Solver{C: 1, Ridge: 1e-300, Algorithm: AlgorithmDense}.Fit(ctx, stream.Engine{}, alone, kernelgen.Kernel{})
	_, twice := Graph("g", graph, []int64{3, 3}, labels[:2], 3)
	_, beyond := Graph("g", graph, []int64{3, 30}, labels[:2], 3)
	_, none := Graph("g", graph, []int64{}, nil, 3)
	_, wide := Graph("g", &sparse.CSR{Rows: 1, Cols: 2, Start: []int64{0, 0}}, nil, labels[:1], 3)
	_, classes := Samples(source(x), labels, 0)
	for what, err := range map[string]error{
		"C":             fit(Solver{}),
		"C NaN":         fit(Solver{C: math.NaN()}),
		"C tiny":        fit(Solver{C: 1e-310}),
		"ridge":         fit(Solver{C: 1, Ridge: -1}),
		"folds":         fit(Solver{C: 1, Merge: MergeStack, Folds: 31}),
		"one fold":      fit(Solver{C: 1, Merge: MergeStack, Folds: 1}),
		"rank":          fit(Solver{C: 1, Rank: -1}),
		"engine":        fit(Solver{C: 1, Algorithm: 9}),
		"lowrank graph": lowRank,
		"node twice":    twice,
		"node beyond":   beyond,
		"no nodes":      none,
		"wide matrix":   wide,
		"classes":       classes,
		"small ridge":   smallRidge,
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := (Solver{C: 1}).Fit(ctx, stream.Engine{}, data, kernelgen.StudentT()); err != nil {
		t.Fatal(err)
	}
	good, err := Solver{C: 1}.Fit(ctx, stream.Engine{}, data, kernelgen.StudentT())
	node, err2 := Solver{C: 0.5}.Fit(ctx, stream.Engine{}, edges, kernelgen.Kernel{})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	bad := matrix.Clone(x)
	bad.Data[5] = math.NaN()
	_, notFinite := good.Decisions(ctx, stream.Engine{}, source(bad))
	_, columns := good.Decisions(ctx, stream.Engine{}, source(matrix.New(2, 3)))
	_, dense := node.Decisions(ctx, stream.Engine{}, source(x))
	_, nodes := node.Decisions(ctx, stream.Engine{}, sparse.NewRows("h", randomGraph(t, 31, 50, 1), nil))
	for what, err := range map[string]error{"NaN": notFinite, "columns": columns, "dense rows": dense, "other graph": nodes} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestPlan: a refusal names the setting that reduces memory, auto stays within the memory, and larger problems cost
// more.
func TestPlan(t *testing.T) {
	e := stream.Engine{Threads: 2}
	k := kernelgen.SNE(1)
	shape := func(n int64, columns int) model.Size { return model.Size{Rows: n, Columns: columns, Classes: 3} }
	for _, c := range []struct {
		m    Solver
		s    model.Size
		want Algorithm
	}{
		{Solver{C: 1}, shape(500, 10), AlgorithmDense},
		{Solver{C: 1}, shape(15000, 10), AlgorithmIterative},
		{Solver{C: 1}, shape(1_000_000, 10), AlgorithmLowRank},
		// Too little for the dense engine. The preconditioner needs 37 MB for the residuals of its triplets.
		{Solver{C: 1, Memory: model.RuntimeBytes + 80<<20, Rank: 10}, shape(1500, 10), AlgorithmIterative},
		{Solver{C: 1}, model.Size{Rows: 100_000, Classes: 3, Sparse: &model.Sparsity{Explicit: true, Entries: 1e6}}, AlgorithmIterative},
	} {
		p, err := c.m.Plan(e, c.s, k)
		if err != nil || p.Choice.Name != c.want.String() || len(p.Notes) == 0 || !strings.Contains(p.Notes[0], p.Choice.Name) {
			t.Errorf("%v: %v, want %v: %v", c.s, p, c.want, err)
		}
	}
	p, err := Solver{C: 1, Algorithm: AlgorithmDense}.Plan(e, shape(20000, 10), k)
	if err != nil {
		t.Fatal(err)
	}
	var over *stream.OverBudgetError
	if err := p.Memory.Check(1 << 30); !errors.As(err, &over) || !strings.Contains(over.Largest.Setting, "Algorithm") {
		t.Errorf("20000 samples by engine dense in 1 GB: %v", err)
	}
	p, err = Solver{C: 1, Algorithm: AlgorithmLowRank}.Plan(e, shape(20000, 10), k)
	if err != nil || !slices.ContainsFunc(p.Memory.Items, func(i stream.BudgetItem) bool { return i.Setting == "`Landmarks`" }) {
		t.Errorf("the plan of the approximation names none of its settings: %v, %v", p, err)
	}
	for _, merge := range []Merge{MergeAverage, MergeStack} {
		for _, engine := range []Algorithm{AlgorithmDense, AlgorithmIterative, AlgorithmLowRank} {
			m := Solver{C: 1, Algorithm: engine, Merge: merge}
			small, err := m.Plan(e, shape(1000, 10), k)
			large, err2 := m.Plan(e, shape(3000, 10), k)
			if err != nil || err2 != nil || !(large.Memory.Total() > small.Memory.Total() && large.KernelEntries > small.KernelEntries) {
				t.Errorf("%v %v: %v %v %v %v", engine, merge, err, err2, small, large)
			}
		}
	}
}

// TestWords: a kernel with a word gives the same fit as the kernel with the number, which the fit reports.
func TestWords(t *testing.T) {
	x, labels := clouds(60, 3, 3, 2, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []Algorithm{AlgorithmAuto, AlgorithmLowRank} {
		fit, err := Solver{C: 1, Algorithm: engine, Rank: 10}.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=median)"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Solver{C: 1, Algorithm: engine, Rank: 10}.Fit(ctx, stream.Engine{}, data, parse(t, fit.Kernel()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fit.Kernel(), "median") || !slices.Equal(fit.Biases[0], again.Biases[0]) {
			t.Errorf("%v: kernel %s", engine, fit.Kernel())
		}
		if (fit.Choice.Name == "dense") != (engine == AlgorithmAuto) {
			t.Errorf("%v: %q was chosen", engine, fit.Choice.Name)
		}
	}
}
