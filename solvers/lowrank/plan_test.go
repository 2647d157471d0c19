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

// TestTransformPlan compares the planned tiles of a worker with those that it holds after a large block, whether the
// projection is small, or so large that a copy of it must be repaid by many rows.
func TestTransformPlan(t *testing.T) {
	t.Parallel()
	src := stream.FromMatrix("x", clusters(1200, 3, 1))
	for name, method := range map[string]Method{
		"small":  Landmark{Rank: 2, Landmarks: 400, Core: 800, Seed: 1},
		"large":  Landmark{Rank: 200, Landmarks: 400, Core: 800, Seed: 1},
		"folded": S3SPSD{Rank: 10, Seed: 1},
	} {
		f, err := method.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		em, x := f.rowEmbedder(f.Left, f.Left.pack(), src.Info()), clusters(2500, 3, 2)
		if err := em.embed(stream.NewMatrix(x.Rows, f.Left.Rank()), x, 0); err != nil {
			t.Fatal(err)
		}
		plan := f.TransformPlan(stream.Engine{Threads: 1}, src, model.Request{})
		held := int64(8 * (cap(em.fold) + cap(em.proj)))
		for _, item := range plan.Memory.Items {
			if item.What == "tiles" && (item.Bytes < held || 2*item.Bytes > 5*held) {
				t.Errorf("%s: %d bytes of tiles are planned, %d are held", name, item.Bytes, held)
			}
		}
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
