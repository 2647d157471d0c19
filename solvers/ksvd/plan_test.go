package ksvd

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestPlanForetells compares planned entries of graphs with those of fits. Paths that meet make the plan of a graph too
// large, never too small.
func TestPlanForetells(t *testing.T) {
	e := stream.Engine{Threads: 2}
	a := graph(t, randomGraph(t, 1200, 3, false, 1))
	for _, c := range []struct {
		data   *Data
		method Method
		kernel string
		most   float64 // of planned over counted
	}{
		{a, Exact{Rank: 3, Center: true, Iterations: 3}, "sne(gamma=2)", 1.01},
		{a, Exact{Rank: 3, Iterations: 3}, "t()", 1.01},
		{a, Nystrom{Rank: 3, Rows: 60, Center: true}, "sne(gamma=2)", 1.5},
		{a, Nystrom{Rank: 3, Rows: 60, Center: true, Scaling: ScaleUnit}, "rbf(gamma=0.2)", 1.5},
		{a, Nystrom{Rank: 3, Rows: 60}, "t()", 1.5},
	} {
		k := parse(t, c.kernel)
		plan, err := c.method.Plan(e, c.data.Size(), k)
		fit, failed := c.method.Fit(background, e, c.data, k)
		if err := cmp.Or(err, failed); err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%T, %s, graph %v", c.method, c.kernel, c.data.sparse())
		if r := float64(plan.KernelEntries) / float64(fit.KernelEntries); r < 0.99 || r > c.most {
			t.Errorf("%s: %d entries planned, %d evaluated", what, plan.KernelEntries, fit.KernelEntries)
		}
		if plan.Memory.Total() <= model.RuntimeBytes || plan.SourcePasses != fit.SourcePasses {
			t.Errorf("%s: plan %+v, %d passes", what, plan, fit.SourcePasses)
		}
	}
}

// item returns the bytes of the first item of a plan with the given purpose.
func item(p *model.Plan, what string) int64 {
	for _, it := range p.Memory.Items {
		if strings.Contains(it.What, what) {
			return it.Bytes
		}
	}
	return 0
}

// TestPlanOfModels: a plan counts whole sides kept by a model, dense and sparse.
func TestPlanOfModels(t *testing.T) {
	dense := model.Size{Rows: 100_000, Cols: 50_000, Columns: 30}
	sparse := model.Size{Rows: 100_000, Cols: 100_000, Columns: 100_000, Sparse: &model.Sparsity{Entries: 1_000_000, Paths: 2e7}}
	for _, s := range []model.Size{dense, sparse} {
		bytes := func(m Nystrom) int64 {
			p, err := m.Plan(stream.Engine{}, s, kernelgen.SNE(1))
			if err != nil {
				t.Fatal(err)
			}
			return item(p, "model")
		}
		sampled, sums, means := bytes(Nystrom{Rank: 5, Sums: SumsSampled}), bytes(Nystrom{Rank: 5, Sums: SumsExact}), bytes(Nystrom{Rank: 5, Center: true, Sums: SumsExact})
		row := int64(8 * s.Columns)
		if s.Sparse != nil {
			row = 8 * s.Sparse.Entries / s.Rows
		}
		if sums-sampled < s.Cols*row || means-sums < s.Rows*row {
			t.Errorf("%+v: models of %d, %d and %d bytes", s, sampled, sums, means)
		}
	}
}

// TestPlanRefuses: a plan refuses the kernels that the fit refuses for sparse rows.
func TestPlanRefuses(t *testing.T) {
	d := graph(t, randomGraph(t, 50, 2, false, 1))
	for _, text := range []string{"kl(a=1)", "laplace(gamma=1)", "laplace(gamma=median)", "rbf(gamma=1) + linear()"} {
		k := parse(t, text)
		_, err := Exact{Rank: 2}.Plan(stream.Engine{}, d.Size(), k)
		if err == nil || !strings.Contains(err.Error(), "sparse rows") {
			t.Errorf("%s: exact: %v", text, err)
		}
		_, err = Nystrom{Rank: 2}.Plan(stream.Engine{}, d.Size(), k)
		if err == nil || !strings.Contains(err.Error(), "sparse rows") {
			t.Errorf("%s: nystrom: %v", text, err)
		}
	}
}

// sparsely returns a size with an altered sparsity.
func sparsely(s model.Size, change func(*model.Sparsity)) model.Size {
	p := *s.Sparse
	change(&p)
	s.Sparse = &p
	return s
}

// TestSummingOfGraphs: sums run over paths where that is affordable, however many entries G has; otherwise they are
// sampled, with the reason.
func TestSummingOfGraphs(t *testing.T) {
	large := model.Size{Rows: 1e6, Cols: 1e6, Columns: 1e6, Sparse: &model.Sparsity{Entries: 1e7, Paths: 3e9}}
	heavy := sparsely(large, func(p *model.Sparsity) { p.Paths = 1e11 })
	negative := sparsely(large, func(p *model.Sparsity) { p.Negative = true })
	small := negative
	small.Rows, small.Cols = 2e4, 2e4
	for _, c := range []struct {
		name, kernel string
		m            Nystrom
		shape        model.Size
		want         Sums
		note         string
	}{
		{"1,000,000 nodes", "sne(gamma=2)", Nystrom{Rank: 5, Center: true}, large, SumsExact, ""},
		{"distances", "t()", Nystrom{Rank: 5}, large, SumsSampled, "entries"},
		{"too many paths", "sne(gamma=2)", Nystrom{Rank: 5}, heavy, SumsSampled, "paths of two edges"},
		{"negative weights", "sne(gamma=2)", Nystrom{Rank: 5}, negative, SumsSampled, "few of whose sampled columns"},
		{"few nodes with negative weights", "sne(gamma=2)", Nystrom{Rank: 5}, small, SumsExact, ""},
		{"nothing to sum", "rbf(gamma=2)", Nystrom{Rank: 5}, heavy, SumsExact, ""},
		{"asked for", "sne(gamma=2)", Nystrom{Rank: 5, Sums: SumsExact}, heavy, SumsExact, ""},
		{"asked for samples", "sne(gamma=2)", Nystrom{Rank: 5, Sums: SumsSampled}, large, SumsSampled, ""},
	} {
		entries, err := tiles.New(parse(t, c.kernel), true)
		if err != nil {
			t.Fatal(err)
		}
		got := c.m.summing(c.shape, entries)
		if got.sums != c.want || (got.note == "") != (c.note == "") || !strings.Contains(got.note, c.note) {
			t.Errorf("%s: %v, %q, want %v", c.name, got.sums, got.note, c.want)
		}
	}
	d := graph(t, randomGraph(t, 3000, 3, false, 5))
	fit, err := Nystrom{Rank: 3, Rows: 40, Center: true}.Fit(background, stream.Engine{}, d, kernelgen.SNE(2))
	if err != nil || fit.Sums != SumsExact || fit.ExactPasses != 0 || len(fit.Notes) > 0 {
		t.Errorf("%v: sums %v, %d exact passes, notes %v", err, fit.Sums, fit.ExactPasses, fit.Notes)
	}
}

// TestEntriesOfPathSums: the number of entries is the same for any number of threads and in every run.
func TestEntriesOfPathSums(t *testing.T) {
	d := graph(t, randomGraph(t, 4000, 3, false, 7))
	for _, text := range []string{"sne(gamma=2)", "cosine()"} {
		want := int64(0)
		for run := range 4 {
			e, err := tiles.New(parse(t, text), true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pathStatistics(background, stream.Engine{Threads: 1 + run}, d, e, true); err != nil {
				t.Fatal(err)
			}
			if got := e.Entries.Load(); run == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s: %d entries in run %d, %d before", text, got, run, want)
			}
		}
	}
}
