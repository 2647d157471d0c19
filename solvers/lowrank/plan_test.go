package lowrank

import (
	"context"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestPlan: a plan predicts the kernel entries of the fit.
func TestPlan(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	const n = 6000
	x := clusters(n, 3, 1)
	src := stream.FromMatrix("x", x)
	k := kernelgen.RBF(1)
	one := model.Sources{Left: src}
	for name, c := range map[string]struct {
		method Method
		data   model.Sources
	}{
		"s3spsd":      {S3SPSD{Rank: 10, Seed: 1}, one},
		"landmark":    {Landmark{Rank: 10, Seed: 1}, one},
		"ssrsvd":      {SSRSVD{Rank: 10, Seed: 1}, one},
		"uniform":     {Nystrom{Rank: 10, Seed: 1}, one},
		"pivoted":     {Nystrom{Rank: 10, Rule: RulePivoted, Seed: 1}, one},
		"unshifted":   {unshiftedLandmark(10, 1), one},
		"rectangular": {Landmark{Rank: 10, Seed: 1}, model.Sources{Left: src, Right: src}},
	} {
		p, err := c.method.Plan(e, c.data.Size(), k)
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.method.Fit(ctx, e, c.data, k)
		if err != nil {
			t.Fatal(err)
		}
		if r := float64(f.KernelEntries) / float64(p.KernelEntries); r < 0.85 || r > 1.15 {
			t.Errorf("%s: %d entries planned, %d evaluated", name, p.KernelEntries, f.KernelEntries)
		}
		if p.Memory.Total() <= model.RuntimeBytes || p.SourcePasses != 1 || f.SourcePasses != 1 {
			t.Errorf("%s: plan %+v", name, p)
		}
	}
}

// TestPlanDoesNotGrow: memory does not depend on the number of rows, up to the logarithmic number of accumulators.
func TestPlanDoesNotGrow(t *testing.T) {
	t.Parallel()
	m := S3SPSD{Rank: 50, Sketch: 250}
	small, err := m.Plan(stream.Engine{Threads: 2}, model.Size{Rows: 1e6, Columns: 20}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	large, err := m.Plan(stream.Engine{Threads: 2}, model.Size{Rows: 1e12, Columns: 20}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	if s, l := small.Memory.Total(), large.Memory.Total(); float64(l) > 1.1*float64(s) || s > model.RuntimeBytes+(40<<20) {
		t.Errorf("%d bytes for 1e6 rows, %d for 1e12", s, l)
	}
}

// TestPlanStages: plans are at most 1.4 times the measured peak memory of the command on 5,000 rows of 20 columns under
// the smallest accepted budget: 60, 42 and 55 MiB.
func TestPlanStages(t *testing.T) {
	one, two := model.Size{Rows: 5000, Columns: 20}, model.Size{Rows: 5000, Cols: 5000, Columns: 20}
	for _, c := range []struct {
		method Method
		shape  model.Size
		peak   int64
	}{{Subspace{Rank: 20}, one, 60}, {Landmark{Rank: 20}, two, 42}, {Landmark{Rank: 50}, one, 55}} {
		p, err := c.method.Plan(stream.Engine{Threads: 2}, c.shape, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		if need := p.Memory.Total() >> 20; need > c.peak*7/5 || need < c.peak*9/10 {
			t.Errorf("%T: %d MiB planned, the peak is %d MiB", c.method, need, c.peak)
		}
	}
}
