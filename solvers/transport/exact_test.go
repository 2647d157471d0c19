package transport

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// sizes returns the numbers of rows for tests against dense references.
func sizes() (m, n int) {
	if testing.Short() {
		return 400, 300
	}
	return 600, 450
}

// compare compares a fit with a dense solution.
func compare(t *testing.T, f *Fit, r *reference, x, y blas64.General, a, b []float64, tolerance float64) {
	t.Helper()
	scale := 1 + math.Abs(r.cost(f.Epsilon))
	near(t, "the cost", f.Cost, r.cost(f.Epsilon), tolerance*scale)
	near(t, "the value", f.Value, r.dual(a, b, f.Epsilon, f.MarginalPenalty), tolerance*scale)
	near(t, "the marginal error", f.MarginalError(), r.history[len(r.history)-1], tolerance)
	if d := farthest(images(t, f, model.Left, x), r.images(y)); !(d <= tolerance) {
		t.Errorf("the images of the left side are %.1e off", d)
	}
	if d := farthest(images(t, f, model.Right, y), r.transposed().images(x)); !(d <= tolerance) {
		t.Errorf("the images of the right side are %.1e off", d)
	}
}

// TestExact: ten rounds equal a dense computation, and T·X agrees to 1e-10.
func TestExact(t *testing.T) {
	t.Parallel()
	m, n := sizes()
	x, y := colours(m, 1), colours(n, 2)
	f, err := Exact{Sinkhorn{Iterations: 10, MarginalTol: 1e-12}}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), gamma10)
	if err != nil {
		t.Fatal(err)
	}
	r := solveDense(logRBF(10, 1, x, y), uniform(m), uniform(n), 1, 0, 10)
	compare(t, f, r, x, y, uniform(m), uniform(n), 1e-10)
	for i, want := range r.history {
		near(t, "an error of the history", f.History[i], want, 1e-10)
	}
	if f.Iterations != 10 || len(f.History) != 10 || !f.NotConverged || f.ExactPasses != 11 {
		t.Errorf("%d rounds with a history of %d, unsettled %v, %d exact passes", f.Iterations, len(f.History), f.NotConverged, f.ExactPasses)
	}
}

// TestLowRank: with few rows and many landmarks the low-rank kernel is exact up to rounding.
func TestLowRank(t *testing.T) {
	t.Parallel()
	m, n := 400, 300
	x, y := colours(m, 1), colours(n, 2)
	f, err := LowRank{Sinkhorn: Sinkhorn{Iterations: 10, MarginalTol: 1e-12}, Rank: 75}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), gamma10)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(f.Notes, f.Estimates)
	r := solveDense(logRBF(10, 1, x, y), uniform(m), uniform(n), 1, 0, 10)
	compare(t, f, r, x, y, uniform(m), uniform(n), 1e-2)
}
