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

// TestEstimate holds the estimates against dense computations: the plan of the low-rank kernel
// beside that of the exact kernel with the same scalings, and beside the exact plan.
func TestEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	t.Parallel()
	const m, n = 400, 300
	ctx, e := context.Background(), stream.Engine{}
	x, y := colours(m, 1), colours(n, 2)
	for _, rank := range []int{8, 20, 40, 75} {
		f, err := LowRank{Sinkhorn: Sinkhorn{Iterations: 10}, Rank: rank}.Fit(ctx, e, dataOf(x, y), gamma10)
		if err != nil {
			t.Fatal(err)
		}
		estimates := map[model.Quantity]float64{}
		for _, e := range f.Errors {
			estimates[e.Of] = e.Value
		}
		// All of the plan, by applying it to the identity.
		identity := stream.NewMatrix(n, n)
		for j := range n {
			identity.Data[j*n+j] = 1
		}
		plan, err := f.Apply(ctx, e, model.Left, identity)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := f.Scalings(ctx, e, model.Left)
		v, err := f.Scalings(ctx, e, model.Right)
		if err != nil {
			t.Fatal(err)
		}
		exact := logRBF(10, 1, x, y)
		var off, all, change, total float64
		for i := range m {
			rowOff, row := 0.0, 0.0
			for j := range n {
				k := math.Exp(u[i] + exact.Data[i*n+j] + v[j])
				d := k - plan.Data[i*n+j]
				off += d * d
				all += k * k
				rowOff += d
				row += k
			}
			change += math.Abs(rowOff)
			total += row
		}
		want := map[model.Quantity]float64{model.PlanFrobenius: math.Sqrt(off / all), model.RowMasses: change / total}
		r := solveDense(exact, uniform(m), uniform(n), 1, 0, 10)
		truly := dense.Clone(plan)
		dense.Add(-1, r.plan, truly)
		error := dense.Frobenius(truly) / dense.Frobenius(r.plan)
		t.Logf("rank %d: plan %.2e, estimated %.2e; masses %.2e, estimated %.2e; beside the exact plan %.2e; %s", rank,
			want[model.PlanFrobenius], estimates[model.PlanFrobenius], want[model.RowMasses], estimates[model.RowMasses], error, strings.Join(f.Notes, "; "))
		for of, w := range want {
			if got := estimates[of]; !(got > w/3 && got < 3*w) {
				t.Errorf("rank %d: the error of the %s is %.2e, estimated %.2e", rank, of, w, got)
			}
		}
		if got := estimates[model.PlanFrobenius]; !(got > error/5 && got < 5*error) {
			t.Errorf("rank %d: the plan is %.2e off the exact one, estimated %.2e", rank, error, got)
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
