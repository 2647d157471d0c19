package transport

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// normals returns rows of normal numbers with a mean and variance 1.
func normals(n, d int, mean float64, seed uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, 7))
	m := matrix.New(n, d)
	for i := range m.Data {
		m.Data[i] = mean + r.NormFloat64()
	}
	return m
}

// sortedCost returns the optimal cost between equal masses on a line for squared distances, which moves points in
// sorted order.
func sortedCost(x, y []float64) (cost float64) {
	x, y = slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))
	for i, j, at := 0, 0, 0; i < len(x) && j < len(y); { // masses are in units of 1/(m·n)
		to := min((i+1)*len(y), (j+1)*len(x))
		d := x[i] - y[j]
		cost += float64(to-at) * d * d
		if at = to; at == (i+1)*len(y) {
			i++
		}
		if at == (j+1)*len(x) {
			j++
		}
	}
	return cost / float64(len(x)*len(y))
}

// TestScalingReachesTheOptimum: with ε far below the range of the cost, ε-scaling comes close to the optimal cost.
// Sinkhorn's iteration alone is still far from it after 1,000 iterations.
func TestScalingReachesTheOptimum(t *testing.T) {
	t.Parallel()
	x, y := normals(150, 1, 0, 1), normals(120, 1, 1, 2)
	few := func(m blas64.General, n int) blas64.General { return matrix.Rows(m, 0, n) }
	for _, c := range []struct {
		x, y          blas64.General
		unit, epsilon float64
	}{{x, y, 1, 1e-3}, {few(x, 40), few(y, 32), 1, 1e-5}, {few(x, 40), few(y, 32), 1e100, 1e-3}, {few(x, 40), few(y, 32), 1e-100, 1e-3}} {
		want := sortedCost(c.x.Data[:c.x.Rows], c.y.Data[:c.y.Rows])
		value := 0.0
		for _, threads := range []int{1, 3} {
			f, err := Exact{Sinkhorn{Epsilon: c.epsilon * c.unit}}.Fit(context.Background(), stream.Engine{Threads: threads}, dataOf(c.x, c.y), kernelgen.RBF(c.unit))
			if err != nil {
				t.Fatal(err)
			}
			near(t, "the cost", f.Cost/c.unit, want, 0.01*want)
			near(t, "the value", f.Value/c.unit, want, 0.02*want)
			checkWork(t, f)
			if threads == 1 {
				value = f.Value
			} else if f.Value != value {
				t.Errorf("%g times epsilon %g: %d threads give other bits", c.unit, c.epsilon, threads)
			}
		}
	}
}

// checkWork compares the passes and entries of a fit with its iterations.
func checkWork(t *testing.T, f *Fit) {
	t.Helper()
	if most := 1000; f.Iterations != len(f.History) || f.Iterations > most || f.ExactPasses != f.Iterations+1 {
		t.Errorf("%d iterations, a history of %d, %d passes", f.Iterations, len(f.History), f.ExactPasses)
	}
	if least := int64(f.ExactPasses) * f.Rows * f.Cols; f.KernelEntries < least || float64(f.KernelEntries) > 1.01*float64(least) {
		t.Errorf("%d entries, and %d passes have %d", f.KernelEntries, f.ExactPasses, least)
	}
}

// TestScalingAgainstDense: costs are within 1 % of those of a converged dense computation, with and without stages.
func TestScalingAgainstDense(t *testing.T) {
	t.Parallel()
	const m, n = 24, 20
	x, y := normals(m, 2, 0, 3), normals(n, 2, 1, 4)
	for _, c := range []struct {
		epsilon, relax float64
		rounds         int
	}{{1, 0, 100}, {0.1, 0, 500}, {0.01, 0, 3000}, {0.1, 1, 200}, {0.01, 1, 1000}, {1e-3, 1, 6000}} {
		f, err := Exact{Sinkhorn{Epsilon: c.epsilon, MarginalPenalty: c.relax}}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		r := solveDense(logRBF(1, c.epsilon, x, y), uniform(m), uniform(n), c.epsilon, c.relax, c.rounds)
		want := r.cost(c.epsilon)
		t.Logf("epsilon %g, relax %g: cost %g and %g (error %.1e), %d iterations", c.epsilon, c.relax, f.Cost, want, r.history[c.rounds-1], f.Iterations)
		near(t, "the cost", f.Cost, want, 0.01*want)
		near(t, "the value", f.Value, r.dual(uniform(m), uniform(n), c.epsilon, c.relax), 0.01*want)
		checkWork(t, f)
	}
}

// TestScalingSharpens: a plan of small ε keeps its masses, with an isolated row, with masses of 0 and with zero entries
// of K.
func TestScalingSharpens(t *testing.T) {
	t.Parallel()
	x, y := normals(40, 1, 0, 5), normals(30, 1, 0, 6)
	x.Data[3], y.Data[4] = 1e3, -1e3
	hat := kernelgen.New(kernelgen.Profile{Name: "hat", Base: kernelgen.SquaredDistance, F: func(r2 float64) float64 { return math.Max(0, 1-r2/1e7) }})
	for _, k := range []kernelgen.Kernel{kernelgen.RBF(1), hat} {
		d := dataOf(x, y)
		d.LeftWeights = make([]float64, 40)
		for i := range d.LeftWeights {
			d.LeftWeights[i] = float64(i % 3)
		}
		f, err := Exact{Sinkhorn{Epsilon: 1e-3}}.Fit(context.Background(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		if !(f.MarginalError() <= 0.02) {
			t.Errorf("%s: after %d iterations the masses of rows are %.2g off", k, f.Iterations, f.MarginalError())
		}
		if f.Model.Right.Points.Rows == 0 || f.mapOf(model.Left).Points.Rows != 30 {
			t.Error("rows are missing from the maps")
		}
	}
}

// TestStages: the stages fall from the range of the cost to ε, and leave iterations for the last.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		span, epsilon float64
		iterations    int
		stages, most  int
	}{{64, 1, 1000, 3, 166}, {65, 1, 1000, 4, 124}, {64, 1, 7, 3, 1}, {64, 1, 6, 0, 0}, {1, 1, 1000, 0, 499}, {0, 1, 1000, 0, 499},
		{math.Inf(1), 1, 1000, 0, 0}, {math.Inf(-1), 1, 1000, 0, 499}, {1e300, 1e-300, 1000, 0, 0}, {1e300, 1e-300, 5000, 997, 2}} {
		s := newStages(c.span, c.epsilon, c.iterations)
		if len(s.epsilon) != c.stages || s.limit != c.most {
			t.Errorf("%+v: %d stages of %d iterations", c, len(s.epsilon), s.limit)
		}
	}
}
