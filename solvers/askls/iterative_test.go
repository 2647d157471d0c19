package askls

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// between returns samples for which K has singular values on both sides of 1/γ.
func between(t testing.TB) (*Data, blas64.General) {
	t.Helper()
	x, labels := clouds(200, 4, 3, 1, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	fresh, _ := clouds(40, 4, 3, 1, 2)
	return data, fresh
}

// TestRank: with a preconditioner of sufficient rank the iteration converges, although K has singular values on both
// sides of 1/γ, and its decisions equal those of the dense engine.
func TestRank(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	data, fresh := between(t)
	m := Solver{C: 300, Algorithm: AlgorithmDense}
	exact, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	m.Algorithm, m.Rank = AlgorithmIterative, 64
	fit, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	if fit.Rank != 64 || fit.NotConverged || fit.Ridge != 0 {
		t.Errorf("rank %d, unsettled %v, ridge %v, residual %v, notes %v", fit.Rank, fit.NotConverged, fit.Ridge, fit.Residual(), fit.Notes)
	}
	expect(t, name("condition ", exact.Condition, " iterations ", fit.Iterations), functionsOf(t, fit.Model, stream.Engine{}, source(fresh)),
		functionsOf(t, exact.Model, stream.Engine{}, source(fresh)), 1e-8)
	if len(fit.Estimates) != 1 || !(fit.Estimates[0].Value < 1e-6) {
		t.Errorf("errors %v", fit.Estimates)
	}
}

// TestNotConverged: an iteration that ends early returns its last iterate, with advice. For an explicit matrix it then
// solves the ridge system.
func TestNotConverged(t *testing.T) {
	data, _ := between(t)
	m := Solver{C: 300, Rank: 4, Algorithm: AlgorithmIterative, Iterations: 30}
	fit, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	if !fit.NotConverged || fit.Ridge != 0 || len(fit.Estimates) != 1 || !(fit.Estimates[0].Value > 1e-6) || !(fit.Residual() < 0.9) {
		t.Errorf("unsettled %v, ridge %v, residual %v, errors %v", fit.NotConverged, fit.Ridge, fit.Residual(), fit.Estimates)
	}
	for _, word := range []string{"`Ridge 1`", "`C`", "`Rank`", "`Algorithm dense`", "`Algorithm lowrank`"} {
		if !strings.Contains(fit.Warnings[0], word) {
			t.Errorf("%s: %s is missing", fit.Warnings[0], word)
		}
	}
	train, _, labels := nodesOf(90)
	graph, err := Graph("g", randomGraph(t, 90, 150, 3), train, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	m.C = 0.9
	fit, err = m.Fit(ctx, stream.Engine{}, graph, parse(t, "linear()"))
	if err != nil {
		t.Fatal(err)
	}
	if fit.NotConverged || fit.Ridge != 1 || len(fit.Notes) == 0 || fit.Iterations <= 30 {
		t.Errorf("graph: unsettled %v, ridge %v, %d iterations, notes %v", fit.NotConverged, fit.Ridge, fit.Iterations, fit.Notes)
	}
}
