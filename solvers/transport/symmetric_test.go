package transport

import (
	"context"
	"math"
	"testing"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestSymmetric: transport of a side to itself, over several tiles and with masses, equals the dense plan for any
// number of threads, also for small ε.
func TestSymmetric(t *testing.T) {
	t.Parallel()
	const n = 600
	ctx := context.Background()
	x := colours(n, 3)
	weights, mass, sum := make([]float64, n), make([]float64, n), 0.0
	for i := range weights {
		weights[i] = float64(1 + i%5)
		sum += weights[i]
	}
	for i, w := range weights {
		mass[i] = w / sum
	}
	d := &Data{Sources: model.Sources{Left: stream.FromMatrix("x", x)}, LeftWeights: weights}
	for _, epsilon := range []float64{1, 0.01} {
		var before *Fit
		for _, threads := range []int{1, 3} {
			f, err := Exact{Sinkhorn{MarginalTol: 1e-9, Epsilon: epsilon}}.Fit(ctx, stream.Engine{Threads: threads}, d, gamma10)
			if err != nil {
				t.Fatal(err)
			}
			if before != nil && (f.Value != before.Value || f.Cost != before.Cost || f.Iterations != before.Iterations) {
				t.Errorf("epsilon %v: %d threads give other bits", epsilon, threads)
			}
			before = f
		}
		t.Logf("epsilon %v: %d rounds, error %.1e", epsilon, before.Iterations, before.MarginalError())
		if before.NotConverged || before.Iterations > 60 {
			t.Errorf("epsilon %v: unsettled %v after %d rounds", epsilon, before.NotConverged, before.Iterations)
		}
		// Both marginals are preserved, and the scalings are a fixed point of Sinkhorn's iteration.
		u, logs := before.Right.Logs, logRBF(10, epsilon, x, x)
		for i := range n {
			near(t, "the logarithm of the mass of a row", u[i]+logSumOf(logs, i, u), math.Log(mass[i]), 1e-5)
		}
	}
}
