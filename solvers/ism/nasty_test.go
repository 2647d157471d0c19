package ism

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestRefuses: errors name the problem and its place.
func TestRefuses(t *testing.T) {
	x, labels, _ := informative(40, 4, 3, 1)
	known := mustClasses(t, labels, 3)
	with := func(edit func(x blas64.General)) blas64.General {
		c := matrix.Clone(x)
		edit(c)
		return c
	}
	basic := Solver{Dim: 2}
	clustering := func(p Paradigm, clusters int) Solver { return Solver{Dim: 2, Paradigm: p, Clusters: clusters} }
	one := mustClasses(t, make([]int, 40), 3)
	factors := func(y blas64.General) *Response {
		r, err := Factors(y)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, c := range map[string]struct {
		solver Solver
		x      blas64.General
		known  *Response
		want   string
		kernel kernelgen.Kernel
	}{
		"no rows":        {basic, blas64.General{Cols: 3, Stride: 3}, known, "fewer than 2 rows", medianGaussian},
		"one row":        {basic, normals(1, 3, 1), mustClasses(t, []int{0}, 1), "fewer than 2 rows", medianGaussian},
		"no columns":     {basic, blas64.General{Rows: 3, Stride: 1}, known, "without columns", medianGaussian},
		"constant":       {basic, matrix.New(40, 3), known, "all 3 columns are constant", medianGaussian},
		"NaN":            {basic, with(func(x blas64.General) { x.Data[4*7+2] = math.NaN() }), known, `row 7 (counted from 0): column "x2"`, medianGaussian},
		"infinity":       {basic, with(func(x blas64.General) { x.Data[4*7+2] = math.Inf(1) }), known, `row 7 (counted from 0): column "x2"`, medianGaussian},
		"too large":      {basic, with(func(x blas64.General) { x.Data[4*7+2], x.Data[2] = 1.7e308, -1.7e308 }), known, "too large", medianGaussian},
		"dimensions":     {Solver{Dim: 5}, x, known, "5 dimensions asked for, and 4 columns that vary", medianGaussian},
		"dimension 0":    {Solver{}, x, known, "dimension 0", medianGaussian},
		"iterations":     {Solver{Dim: 1, Iterations: -1}, x, known, "must be at least 1", medianGaussian},
		"tolerance":      {Solver{Dim: 1, ChangeTol: -1}, x, known, "must be positive", medianGaussian},
		"nothing known":  {basic, x, nil, "supervised needs", medianGaussian},
		"labels unasked": {clustering(Unsupervised, 2), x, known, "knows no labels", medianGaussian},
		"other length":   {basic, normals(30, 4, 1), known, "30 rows, and 40 labels", medianGaussian},
		"one class":      {basic, x, one, "the same for all rows", medianGaussian},
		"constant target": {basic, x, factors(with(func(x blas64.General) {
			for i := range x.Data {
				x.Data[i] = 3
			}
		})), "the same for all rows", medianGaussian},
		"clusters":         {clustering(Unsupervised, 1), x, nil, "at least 2", medianGaussian},
		"many clusters":    {clustering(Unsupervised, 41), x, nil, "40 rows for 41 clusters", medianGaussian},
		"mu":               {Solver{Dim: 2, Paradigm: Alternative, Clusters: 2, Mu: -1}, x, known, "mu is -1", medianGaussian},
		"negative sums":    {clustering(Alternative, 2), x, known, "take a kernel that is positive", kernelgen.Squared()},
		"scores to avoid":  {clustering(Alternative, 2), x, factors(normals(40, 1, 1)), "needs the classes", medianGaussian},
		"relative apart":   {clustering(Unsupervised, 2), x, nil, "for clusters", kernelgen.Relative(7)},
		"neighbour":        {Solver{Dim: 1}, x, known, "the sample has 40 rows", kernelgen.Relative(50)},
		"overflow":         {Solver{Dim: 1}, with(func(x blas64.General) { x.Data[0] = 1e40 }), known, "scale the rows", kernelgen.Poly(9, 1, 1)},
		"wrong derivative": {Solver{Dim: 1}, x, known, "the derivative of wrong", kernelgen.New(kernelgen.Profile{Name: "wrong", PositiveSemiDefinite: true, F: math.Sin, Derivative: math.Sin})},
		"not finite":       {Solver{Dim: 1}, x, known, "must be finite", kernelgen.New(kernelgen.Profile{Name: "logarithm", PositiveSemiDefinite: true, F: math.Log, Derivative: func(b float64) float64 { return 1 / b }})},
		"no gradient":      {Solver{Dim: 1}, x, known, "laplace is a function of the L1 distance", kernelgen.Laplace(1)},
		"no derivative":    {Solver{Dim: 1}, x, known, "profile sinus has no derivative", kernelgen.New(kernelgen.Profile{Name: "sinus", F: math.Sin})},
	} {
		for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
			if name == "neighbour" && engine == AlgorithmLinear {
				c.want = "take `Algorithm exact`"
			}
			c.solver.Algorithm = engine
			_, err := c.solver.Fit(ctx, streamEngine, &Data{source(c.x), c.known}, c.kernel)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %v: %v, want %q", name, engine, err, c.want)
			}
		}
	}
	if _, err := Classes([]int{0, 3}, 3); err == nil || !strings.Contains(err.Error(), "row 1 has label 3") {
		t.Errorf("a label too many: %v", err)
	}
	if _, err := Factors(with(func(x blas64.General) { x.Data[0] = math.NaN() })); err == nil {
		t.Error("a target of NaN was taken")
	}
	if _, err := ParseAlgorithm("fast"); err == nil || !strings.Contains(err.Error(), "auto, exact, linear") {
		t.Errorf("an engine that is none: %v", err)
	}
}

// TestZeroKernel: a zero kernel is a programming error and panics.
func TestZeroKernel(t *testing.T) {
	defer func() {
		if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "ism: the zero Kernel") {
			t.Errorf("panic with %v", r)
		}
	}()
	_, _ = Solver{Dim: 1}.Fit(ctx, streamEngine, &Data{source(normals(4, 2, 1)), mustClasses(t, []int{0, 1, 0, 1}, 2)}, kernelgen.Kernel{})
}

// TestRefusesOnePass: a source that can be read only once is refused before the first read.
func TestRefusesOnePass(t *testing.T) {
	src := stream.FromSeq(stream.Info{Name: "pipe", Columns: []string{"a"}, Rows: -1, OnePass: true}, nil)
	if _, err := (Solver{Dim: 1}).Fit(ctx, streamEngine, &Data{src, mustClasses(t, []int{0, 1}, 2)}, kernelgen.Linear()); err == nil || !strings.Contains(err.Error(), "only once") {
		t.Error(err)
	}
}

// TestCancelled: a fit stops when its context ends.
func TestCancelled(t *testing.T) {
	x, labels, _ := informative(40, 4, 3, 1)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (Solver{Dim: 1}).Fit(gone, streamEngine, &Data{source(x), mustClasses(t, labels, 3)}, kernelgen.Linear()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestOddShapes: unusual but valid data: constant columns, more columns than rows, as many dimensions as columns, equal
// rows, huge and tiny scales, rows far from the origin.
func TestOddShapes(t *testing.T) {
	x, labels, _ := informative(60, 5, 3, 2)
	known := mustClasses(t, labels, 3)
	for _, text := range []string{"gaussian()", "squared()", "multiquadratic()", "linear()", "polynomial(degree=2)"} {
		for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
			fit := func(x blas64.General, q int, known *Response) *Fit {
				t.Helper()
				return mustFit(t, Solver{Dim: q, Algorithm: engine}, streamEngine, &Data{source(x), known}, mustParse(t, text))
			}
			wide := matrix.New(60, 7)
			for i := range 60 {
				copy(matrix.Row(wide, i), matrix.Row(x, i))
				wide.Data[7*i+5], wide.Data[7*i+6] = 3, -1e6
			}
			f := fit(wide, 2, known)
			if a := angleTo(t, matrix.Rows(f.W, 0, 5), fit(x, 2, known).W); a > 1e-6 {
				t.Errorf("%s, %v: constant columns change W by %v", text, engine, a)
			}
			if f.W.Data[5*2] != 0 || f.W.Data[6*2+1] != 0 || len(f.Notes) == 0 {
				t.Errorf("%s, %v: W %v, notes %v with constant columns", text, engine, f.W.Data, f.Notes)
			}
			fit(x, 5, known)
			fit(normals(20, 30, 4), 3, mustClasses(t, labels[:20], 3))
			fit(normals(2, 3, 4), 1, mustClasses(t, []int{0, 1}, 2))
			twice := matrix.New(120, 5)
			for i := range 120 {
				copy(matrix.Row(twice, i), matrix.Row(x, i%60))
			}
			if a := angleTo(t, fit(twice, 2, mustClasses(t, append(append([]int(nil), labels...), labels...), 3)).W, fit(x, 2, known).W); engine == AlgorithmExact && a > 0.2 {
				t.Errorf("%s, %v: rows twice change W by %v", text, engine, a)
			}
			for _, scale := range []float64{1e-30, 1e30} {
				scaled := matrix.Clone(x)
				for i := range scaled.Data {
					scaled.Data[i] *= scale
				}
				fit(scaled, 2, known)
			}
			if text == "gaussian()" || text == "squared()" || text == "multiquadratic()" {
				far := matrix.Clone(x)
				for i := range far.Data {
					far.Data[i] += 1e6
				}
				if a := angleTo(t, fit(far, 2, known).W, fit(x, 2, known).W); a > 1e-3 {
					t.Errorf("%s, %v: far away W is %v off", text, engine, a)
				}
			}
		}
	}
}

// TestRelativeTies: equal rows do not count as neighbours.
func TestRelativeTies(t *testing.T) {
	x, labels, _ := informative(100, 3, 3, 2)
	for i := range x.Data {
		x.Data[i] = math.Round(x.Data[i])
	}
	mustFit(t, Solver{Dim: 1}, streamEngine, &Data{source(x), mustClasses(t, labels, 3)}, kernelgen.Relative(7))
}

// TestPlan compares a plan with the cost of the fit.
func TestPlan(t *testing.T) {
	x, labels, _ := informative(1000, 8, 4, 2)
	for _, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
		m := Solver{Dim: 2, Algorithm: engine, Iterations: 4}
		k := mustParse(t, "gaussian() + multiquadratic()")
		src := passcount.New(source(x))
		f := mustFit(t, m, streamEngine, &Data{src, mustClasses(t, labels, 4)}, k)
		if src.Passes() != f.SourcePasses {
			t.Errorf("%v: %d passes, and %d reported", engine, src.Passes(), f.SourcePasses)
		}
		p, err := m.Plan(streamEngine, model.Size{Rows: 1000, Columns: 8, Classes: 4}, k)
		if err != nil {
			t.Fatal(err)
		}
		if p.Choice.Name != engine.String() || p.SourcePasses < f.SourcePasses || p.KernelEntries < f.KernelEntries {
			t.Errorf("%v: %v, %d passes and %d entries planned, %d and %d made", engine, p.Choice.Name, p.SourcePasses, p.KernelEntries, f.SourcePasses, f.KernelEntries)
		}
		if engine == AlgorithmLinear && f.SourcePasses != 2+2*f.Iterations {
			t.Errorf("%d passes for %d iterations", f.SourcePasses, f.Iterations)
		}
	}
	shape := func(n int64) model.Size { return model.Size{Rows: n, Columns: 50, Classes: 4} }
	auto := func(n int64) string {
		p, err := Solver{Dim: 3}.Plan(streamEngine, shape(n), medianGaussian)
		if err != nil {
			t.Fatal(err)
		}
		return p.Choice.Name
	}
	if auto(2000) != "exact" || auto(1e6) != "linear" {
		t.Errorf("auto is %v for 2000 rows and %v for a million", auto(2000), auto(1e6))
	}
	// Memory does not depend on the number of rows, apart from the classes.
	small, _ := Solver{Dim: 3, Algorithm: AlgorithmLinear}.Plan(streamEngine, shape(1e6), medianGaussian)
	large, _ := Solver{Dim: 3, Algorithm: AlgorithmLinear}.Plan(streamEngine, shape(2e6), medianGaussian)
	if grown := large.Memory.Total() - small.Memory.Total(); grown > 8e6 || small.Memory.Total() > 200<<20 {
		t.Errorf("%d bytes for a million rows, %d more for two", small.Memory.Total(), grown)
	}
}
