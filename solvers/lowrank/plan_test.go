package lowrank

import (
	"context"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestPlan: a plan foretells the kernel entries of the fit.
func TestPlan(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	const n = 6000
	x := clusters(n, 3, 1)
	src := stream.FromMatrix("x", x)
	k := kernelgen.RBF(1)
	for name, run := range map[string]func() (*Plan, *Fit, error){
		"s3spsd": func() (*Plan, *Fit, error) {
			m := S3SPSD{Rank: 10, Seed: 1}
			f, err := m.Fit(ctx, e, src, k)
			p, _ := m.Plan(e, n, 3)
			return p, f, err
		},
		"landmark": func() (*Plan, *Fit, error) {
			m := Landmark{Rank: 10, Seed: 1}
			f, err := m.Fit(ctx, e, src, k)
			p, _ := m.Plan(e, n, 3)
			return p, f, err
		},
		"ssrsvd": func() (*Plan, *Fit, error) {
			m := SSRSVD{Rank: 10, Seed: 1}
			f, err := m.Fit(ctx, e, src, nil, k)
			p, _ := m.Plan(e, n, 0, 3)
			return p, f, err
		},
		"uniform": func() (*Plan, *Fit, error) {
			m := Nystrom{Rank: 10, Seed: 1}
			f, err := m.Fit(ctx, e, src, k)
			p, _ := m.Plan(e, n, 3)
			return p, f, err
		},
		"leverage": func() (*Plan, *Fit, error) {
			m := Nystrom{Rank: 10, Choice: ChoiceLeverage, Seed: 1}
			f, err := m.Fit(ctx, e, src, k)
			p, _ := m.Plan(e, n, 3)
			return p, f, err
		},
		"pivoted": func() (*Plan, *Fit, error) {
			m := Nystrom{Rank: 10, Choice: ChoicePivoted, Seed: 1}
			f, err := m.Fit(ctx, e, src, k)
			p, _ := m.Plan(e, n, 3)
			return p, f, err
		},
		"fastspsd": func() (*Plan, *Fit, error) {
			m := FastSPSD{Rank: 10, Seed: 1}
			f, err := m.Fit(ctx, e, src, k)
			p, _ := m.Plan(e, n, 3)
			return p, f, err
		},
		"rectangular": func() (*Plan, *Fit, error) {
			m := Landmark{Rank: 10, Seed: 1}
			f, err := m.FitRect(ctx, e, src, src, k)
			p, _ := m.PlanRect(e, n, n, 3)
			return p, f, err
		},
	} {
		p, f, err := run()
		if err != nil {
			t.Fatal(err)
		}
		if r := float64(f.KernelEntries) / float64(p.KernelEntries); r < 0.85 || r > 1.15 {
			t.Errorf("%s: %d entries planned, %d evaluated", name, p.KernelEntries, f.KernelEntries)
		}
		if p.Memory.Total() <= RuntimeBytes || p.Passes != 1 {
			t.Errorf("%s: plan %+v", name, p)
		}
	}
}

// TestPlanGrowsNot: memory is the same for any number of rows, up to the
// logarithm of accumulators.
func TestPlanGrowsNot(t *testing.T) {
	t.Parallel()
	m := S3SPSD{Rank: 50, Sketch: 250}
	small, err := m.Plan(stream.Engine{Threads: 2}, 1e6, 20)
	if err != nil {
		t.Fatal(err)
	}
	large, err := m.Plan(stream.Engine{Threads: 2}, 1e12, 20)
	if err != nil {
		t.Fatal(err)
	}
	if s, l := small.Memory.Total(), large.Memory.Total(); float64(l) > 1.1*float64(s) || s > 64<<20 {
		t.Errorf("%d bytes for 1e6 rows, %d for 1e12", s, l)
	}
}
