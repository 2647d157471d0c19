package askls

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// between returns samples whose system has singular values on both sides of 1/γ.
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

// unformed fits by engine iterative as if there were too many samples for their system to be
// formed.
func unformed(t *testing.T, m Solver, data *Data, kernel string) *Fit {
	t.Helper()
	m, err := m.settings(data.Samples())
	if err != nil {
		t.Fatal(err)
	}
	m.Engine = EngineIterative
	ranks := []int{m.Rank, 4 * m.Rank, 16 * m.Rank, data.Samples()/2 - 1}
	fit, err := (&fit{Solver: m, data: data, kernel: parse(t, kernel), targets: oneAgainstRest(data.labels, data.classes), ranks: ranks}).run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// TestRaised: where a preconditioner of low rank does not settle the iteration, one of a
// higher rank does, and decides as the dense engine.
func TestRaised(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	data, fresh := between(t)
	m := Solver{Gamma: 300, Rank: 4, Engine: EngineDense}
	exact, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	fit := unformed(t, m, data, "sne(gamma=2)")
	if fit.Rank <= 4 || fit.Unsettled || fit.Ridge != 0 {
		t.Errorf("rank %d, unsettled %v, ridge %v, residual %v, notes %v", fit.Rank, fit.Unsettled, fit.Ridge, fit.Residual(), fit.Notes)
	}
	expect(t, name("condition ", exact.Condition, " iterations ", fit.Iterations), functionsOf(t, fit.Model, stream.Engine{}, NewSamples(source(fresh))),
		functionsOf(t, exact.Model, stream.Engine{}, NewSamples(source(fresh))), 1e-8)
	if len(fit.Errors) != 1 || !(fit.Errors[0].Value < 1e-6) {
		t.Errorf("errors %v", fit.Errors)
	}
}

// TestUnsettled: an iteration that ends early says why and what to do.
func TestUnsettled(t *testing.T) {
	data, _ := between(t)
	fit, err := Solver{Gamma: 300, Rank: 4, Engine: EngineIterative, Iterations: 3, Ridge: 1e-6}.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(fit.Notes, "\n"); !fit.Unsettled || !strings.Contains(notes, "`ridge 1`") || !strings.Contains(notes, "the error of the decision values") {
		t.Errorf("unsettled %v, %v", fit.Unsettled, fit.Notes)
	}
}

// TestFormedAfter: what the iteration does not settle is formed, where there is the memory,
// and decides as the dense engine; stacked as well.
func TestFormedAfter(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	data, fresh := between(t)
	for _, merge := range []Merge{MergeAverage, MergeStack} {
		m := Solver{Gamma: 300, Rank: 4, Iterations: 3, Merge: merge, Folds: 3, Engine: EngineDense}
		exact, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
		if err != nil {
			t.Fatal(err)
		}
		m.Engine = EngineIterative
		fit, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "functions", functionsOf(t, fit.Model, stream.Engine{}, NewSamples(source(fresh))), functionsOf(t, exact.Model, stream.Engine{}, NewSamples(source(fresh))), 1e-12)
		expect(t, "held out", fit.HeldOut, exact.HeldOut, 1e-12)
		if fit.Ridge != 0 || fit.Unsettled || fit.Iterations == 0 || len(fit.Notes) != 1 || !strings.Contains(fit.Notes[0], "`engine dense`") {
			t.Errorf("%v: ridge %v, unsettled %v, %d iterations, notes %v", merge, fit.Ridge, fit.Unsettled, fit.Iterations, fit.Notes)
		}
	}
}

// TestOpen: where nobody knows whether the plain system is singular, the residual of the ridge
// system says nothing of how far the decisions are from those of the plain one.
func TestOpen(t *testing.T) {
	data, _ := between(t)
	fit := unformed(t, Solver{Gamma: 300, Rank: 4, Iterations: 3}, data, "sne(gamma=2)")
	if !fit.Unsettled || fit.Ridge != 1 || len(fit.Errors) != 1 || !math.IsNaN(fit.Errors[0].Value) {
		t.Errorf("unsettled %v, ridge %v, errors %v, notes %v", fit.Unsettled, fit.Ridge, fit.Errors, fit.Notes)
	}
}
