package transport

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestEstimate compares the estimate with dense computations: the plan of the low-rank kernel against that of the exact
// kernel with the same scalings, and against the exact plan. Larger sides are sampled.
func TestEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	for _, c := range []struct {
		m, n, rank int
		gamma      float64
	}{{400, 300, 8, 10}, {400, 300, 20, 10}, {400, 300, 40, 10}, {400, 300, 75, 10}, {1200, 900, 20, 10}, {1200, 900, 60, 20}} {
		x, y := colours(c.m, 1), colours(c.n, 2)
		d, k := dataOf(x, y), kernelgen.RBF(c.gamma)
		s, err := Sinkhorn{Iterations: 10}.settings()
		if err != nil {
			t.Fatal(err)
		}
		factors, err := LowRank{s, c.rank}.landmark(d.Size()).Fit(ctx, e, d.Sources, k)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newLowRankIteration(ctx, e, s, d, factors.Model)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.solve(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := math.NaN()
		for _, e := range f.Estimates {
			if e.Quantity == model.PlanFrobenius {
				got = e.Value
			}
		}
		u, err := p.scalings(ctx, e, model.Left)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.scalings(ctx, e, model.Right)
		if err != nil {
			t.Fatal(err)
		}
		exact, plan := logRBF(c.gamma, 1, x, y), formed(t, p, k, x, y)
		var off, all float64
		for i := range c.m {
			for j := range c.n {
				entry := math.Exp(u[i] + exact.Data[i*c.n+j] + v[j])
				plan.Data[i*c.n+j] *= math.Exp(u[i] + v[j])
				d := entry - plan.Data[i*c.n+j]
				off += d * d
				all += entry * entry
			}
		}
		want := math.Sqrt(off / all)
		r := solveDense(exact, uniform(c.m), uniform(c.n), 1, 0, 10)
		dense.Add(-1, r.plan, plan)
		truth := dense.Frobenius(plan) / dense.Frobenius(r.plan)
		t.Logf("%+v: %.2e, estimated %.2e; against the exact plan %.2e; %s", c, want, got, truth, strings.Join(f.Notes, "; "))
		if !(got > want/1.5 && got < 1.5*want) {
			t.Errorf("%+v: the error of the plan is %.2e, estimated %.2e", c, want, got)
		}
		if !(got > truth/5 && got < 5*truth) {
			t.Errorf("%+v: the plan is %.2e off the exact one, estimated %.2e", c, truth, got)
		}
	}
}

// TestEstimateWarns: a fit warns of an inaccurate plan.
func TestEstimateWarns(t *testing.T) {
	t.Parallel()
	x, y := colours(400, 1), colours(300, 2)
	f, err := LowRank{Sinkhorn: Sinkhorn{Iterations: 10}, Rank: 4}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), kernelgen.RBF(20))
	if err != nil {
		t.Fatal(err)
	}
	if warnings := strings.Join(f.Warnings, "; "); f.Algorithm == AlgorithmLowRank && !strings.Contains(warnings, "the error of the plan") {
		t.Errorf("warnings %q", warnings)
	}
}
