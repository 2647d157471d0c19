package transport

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestEpsilon: ε from 1 to 1e-3, after a few rounds and at convergence, with nearly equal points. Sums are accurate
// even if exponentials of log K underflow.
func TestEpsilon(t *testing.T) {
	t.Parallel()
	const m, n = 90, 70
	x, y := colours(m, 3), colours(n, 4)
	copy(matrix.Row(x, 5), matrix.Row(x, 6))
	copy(matrix.Row(y, 5), matrix.Row(x, 6))
	for _, epsilon := range []float64{1, 0.1, 0.01, 1e-3} {
		for _, relax := range []float64{0, 0.3} {
			f, err := Exact{Sinkhorn{Iterations: 7, Epsilon: epsilon, MarginalPenalty: relax, MarginalTol: 1e-13}}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), gamma10)
			if err != nil {
				t.Fatal(err)
			}
			r := solveDense(logRBF(10, epsilon, x, y), uniform(m), uniform(n), epsilon, relax, 7)
			t.Logf("epsilon %v, relax %v: error %.1e", epsilon, relax, f.MarginalError())
			compare(t, f, r, x, y, uniform(m), uniform(n), 1e-10)
		}
	}
}

// TestConverges: the iteration reaches its tolerance or reports that it did not. At convergence the dual value equals
// the primal one.
func TestConverges(t *testing.T) {
	t.Parallel()
	const m, n = 60, 50
	x, y := colours(m, 3), colours(n, 4)
	for _, c := range []struct {
		epsilon, relax float64
		rounds         int
	}{{1, 0, 200}, {0.3, 0, 2000}, {1, 0.5, 200}, {1e-3, 0, 50}} {
		f, err := Exact{Sinkhorn{Iterations: c.rounds, Epsilon: c.epsilon, MarginalPenalty: c.relax, MarginalTol: 1e-10}}.Fit(context.Background(), stream.Engine{}, dataOf(x, y), gamma10)
		if err != nil {
			t.Fatal(err)
		}
		if c.epsilon == 1e-3 {
			if !f.NotConverged || len(f.Warnings) == 0 || !strings.Contains(f.Warnings[0], "raise `Iterations`") {
				t.Errorf("epsilon %v: unsettled %v, warnings %q", c.epsilon, f.NotConverged, f.Warnings)
			}
			continue
		}
		if f.NotConverged || f.MarginalError() > 1e-10 || f.Iterations != len(f.History) {
			t.Errorf("epsilon %v, relax %v: unsettled %v, error %.1e after %d rounds, history of %d", c.epsilon, c.relax, f.NotConverged, f.MarginalError(), f.Iterations, len(f.History))
		}
		r := solveDense(logRBF(10, c.epsilon, x, y), uniform(m), uniform(n), c.epsilon, c.relax, f.Iterations)
		near(t, "the value", f.Value, r.value(uniform(m), uniform(n), c.epsilon, c.relax), 1e-8)
	}
}

// TestWeights: rows of mass 0 do not affect the plan, but have images.
func TestWeights(t *testing.T) {
	t.Parallel()
	const m, n = 80, 60
	x, y := colours(m, 3), colours(n, 4)
	d := dataOf(x, y)
	d.LeftWeights, d.RightWeights = make([]float64, m), make([]float64, n)
	a, b := make([]float64, m), make([]float64, n)
	for _, w := range []struct{ weights, mass []float64 }{{d.LeftWeights, a}, {d.RightWeights, b}} {
		sum := 0.0
		for i := range w.weights {
			w.weights[i] = float64(i % 4)
			sum += w.weights[i]
		}
		for i, v := range w.weights {
			w.mass[i] = v / sum
		}
	}
	ctx, e := context.Background(), stream.Engine{}
	f, err := Exact{Sinkhorn{Iterations: 8, MarginalTol: 1e-12}}.Fit(ctx, e, d, gamma10)
	if err != nil {
		t.Fatal(err)
	}
	r := solveDense(logRBF(10, 1, x, y), a, b, 1, 0, 8)
	if d := farthest(images(t, f, model.Left, x), r.images(y)); !(d <= 1e-11) {
		t.Errorf("images are %.1e off", d)
	}
	if d := farthest(images(t, f, model.Right, y), r.transposed().images(x)); !(d <= 1e-11) {
		t.Errorf("images of the right side are %.1e off", d)
	}
	if l, r := f.Left.Points.Rows, f.Right.Points.Rows; l != n*3/4 || r != m*3/4 {
		t.Errorf("the model has %d and %d rows, and a quarter has no mass", l, r)
	}
	d.LeftWeights[3] = -1
	for name, bad := range map[string][]float64{"negative": d.LeftWeights, "few": {1, 2}, "zero": make([]float64, m), "NaN": append(make([]float64, m-1), math.NaN())} {
		for _, method := range []Method{Exact{}, LowRank{Rank: 2}} {
			if _, err := method.Fit(ctx, e, &Data{Sources: d.Sources, LeftWeights: bad}, gamma10); err == nil || !strings.Contains(err.Error(), "weight") {
				t.Errorf("%s weights give %v", name, err)
			}
		}
	}
}

// TestSmall: a single row, equal rows, and long and thin shapes.
func TestSmall(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	same := matrix.New(9, 3)
	for _, c := range []struct {
		name string
		x, y blas64.General
	}{{"one", colours(1, 1), colours(1, 2)}, {"1×n", colours(1, 1), colours(300, 2)}, {"n×1", colours(300, 1), colours(1, 2)}, {"alike", same, same}, {"alike to others", same, colours(20, 1)}} {
		m, n := c.x.Rows, c.y.Rows
		r := solveDense(logRBF(10, 1, c.x, c.y), uniform(m), uniform(n), 1, 0, 3)
		for _, method := range []Method{Exact{Sinkhorn{Iterations: 3}}, LowRank{Sinkhorn: Sinkhorn{Iterations: 3}, Rank: 1}, Auto{Sinkhorn: Sinkhorn{Iterations: 3}}} {
			f, err := method.Fit(ctx, e, dataOf(c.x, c.y), gamma10)
			if errors.Is(err, errTooCoarse) { // a kernel of rank 1
				continue
			}
			if err != nil {
				t.Errorf("%s, %T: %v", c.name, method, err)
				continue
			}
			if f.Algorithm == AlgorithmExact {
				compare(t, f, r, c.x, c.y, uniform(m), uniform(n), 1e-12)
			}
			if !dense.Finite(images(t, f, model.Left, c.x)) {
				t.Errorf("%s, %T: images are not finite", c.name, method)
			}
		}
	}
}

// TestVanishing: an error names rows and columns whose kernel entries all vanish.
func TestVanishing(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x, y := colours(40, 1), colours(30, 2)
	far := matrix.Clone(y)
	for k := range 3 {
		far.Data[7*3+k] = 1e3
	}
	var place *stream.DataError
	hat := kernelgen.New(kernelgen.Profile{Name: "hat", Base: kernelgen.SquaredDistance, F: func(r2 float64) float64 { return math.Max(0, 3-r2) }})
	if _, err := (Exact{Sinkhorn{Iterations: 3}}).Fit(ctx, e, dataOf(x, far), hat); !errors.As(err, &place) || place.Row != 7 {
		t.Errorf("a column of zeros gives %v", err)
	}
	if _, err := (Exact{Sinkhorn{Iterations: 3}}).Fit(ctx, e, dataOf(far, x), hat); !errors.As(err, &place) || place.Row != 7 {
		t.Errorf("a row of zeros gives %v", err)
	}
	if _, err := (Exact{}).Fit(ctx, e, dataOf(x, y), kernelgen.New(kernelgen.Profile{Name: "minus", Base: kernelgen.SquaredDistance, F: func(r2 float64) float64 { return 0.1 - r2 }})); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("a negative kernel gives %v", err)
	}
	// Gibbs kernels never vanish in the log domain.
	f, err := Exact{Sinkhorn{Iterations: 3}}.Fit(ctx, e, dataOf(x, far), gamma10)
	if err != nil {
		t.Fatal(err)
	}
	r := solveDense(logRBF(10, 1, x, far), uniform(40), uniform(30), 1, 0, 3)
	if d := farthest(images(t, f, model.Left, x), r.images(far)); !(d <= 1e-6) {
		t.Errorf("images beside a row far away are %.1e off", d)
	}
	near(t, "the cost", f.Cost/r.cost(1), 1, 1e-9)
	// Low-rank kernels are repaired, or the error has a remedy.
	if f, err := (LowRank{Sinkhorn: Sinkhorn{Iterations: 3}, Rank: 3}).Fit(ctx, e, dataOf(x, far), gamma10); err == nil {
		if !dense.Finite(images(t, f, model.Left, x)) {
			t.Error("images of a repaired fit are not finite")
		}
	} else if !strings.Contains(err.Error(), "exact") {
		t.Errorf("a row far away gives %v", err)
	}
}

// TestOtherKernels: a kernel whose logarithm comes from its entries, and an asymmetric kernel.
func TestOtherKernels(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x, y := colours(70, 1), colours(50, 2)
	for _, text := range []string{"cauchy(length=0.3)", "matern32(length=0.5)", "kl(a=3)", "laplace(gamma=4)", "expdot(scale=2)", "rbf(gamma=1) + rbf(gamma=30)", "3*rbf(gamma=5)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, epsilon := range []float64{1, 0.25} {
			logs := matrix.New(70, 50)
			k.Fill(logs, x, k.Pack(y), nil)
			for i, v := range logs.Data {
				logs.Data[i] = math.Log(v) / epsilon
			}
			f, err := Exact{Sinkhorn{Iterations: 5, Epsilon: epsilon}}.Fit(ctx, e, dataOf(x, y), k)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, f, solveDense(logs, uniform(70), uniform(50), epsilon, 0, 5), x, y, uniform(70), uniform(50), 1e-10)
		}
	}
}

// TestValue compares the value between two sides, and of one side to itself, with dense solutions.
func TestValue(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	const m, n = 80, 60
	x, y := colours(m, 3), colours(n, 4)
	s := Sinkhorn{MarginalTol: 1e-11, Iterations: 2000}
	value := func(p, q blas64.General) float64 {
		a, b := uniform(p.Rows), uniform(q.Rows)
		return solveDense(logRBF(10, 1, p, q), a, b, 1, 0, 600).dual(a, b, 1, 0)
	}
	f, err := Exact{s}.Fit(ctx, e, dataOf(x, y), gamma10)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the value", f.Value, value(x, y), 1e-8)
	low, err := LowRank{Sinkhorn: s, Rank: 20}.Fit(ctx, e, dataOf(x, y), gamma10)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the value of a low rank", low.Value, f.Value, 0.05*f.Value)
	alone, err := Exact{s}.Fit(ctx, e, &Data{Sources: model.Sources{Left: stream.FromMatrix("x", x)}}, gamma10)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the value of one source", alone.Value, value(x, x), 1e-8)
}
