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
// kernel with the same scalings, and against the exact plan. The larger sides are sampled.
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
		f, err := LowRank{Sinkhorn: Sinkhorn{Iterations: 10}, Rank: c.rank}.Fit(ctx, e, dataOf(x, y), kernelgen.RBF(c.gamma))
		if err != nil {
			t.Fatal(err)
		}
		got := math.NaN()
		for _, e := range f.Estimates {
			if e.Of == model.PlanFrobenius {
				got = e.Value
			}
		}
		// All of the plan, by applying it to the identity.
		identity := stream.NewMatrix(c.n, c.n)
		for j := range c.n {
			identity.Data[j*c.n+j] = 1
		}
		plan, err := f.Apply(ctx, e, model.Left, identity)
		if err != nil {
			t.Fatal(err)
		}
		u, err := f.Scalings(ctx, e, model.Left)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Scalings(ctx, e, model.Right)
		if err != nil {
			t.Fatal(err)
		}
		exact := logRBF(c.gamma, 1, x, y)
		var off, all float64
		for i := range c.m {
			for j := range c.n {
				k := math.Exp(u[i] + exact.Data[i*c.n+j] + v[j])
				d := k - plan.Data[i*c.n+j]
				off += d * d
				all += k * k
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

// TestEstimateWarns: a poor plan is told so.
func TestEstimateWarns(t *testing.T) {
	t.Parallel()
	x, y := colours(400, 1), colours(300, 2)
	f, err := LowRank{Sinkhorn: Sinkhorn{Iterations: 10}, Rank: 4}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), kernelgen.RBF(20))
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(f.Notes, "; "); f.Engine == EngineLowRank && !strings.Contains(notes, "the error of the plan") {
		t.Errorf("notes %q", notes)
	}
}
