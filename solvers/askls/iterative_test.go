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

// TestRank: a preconditioner of enough rank settles the iteration where singular values lie on
// both sides of 1/γ, and the machine decides as the dense engine does.
func TestRank(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	data, fresh := between(t)
	m := Solver{C: 300, Engine: EngineDense}
	exact, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	m.Engine, m.Rank = EngineIterative, 64
	fit, err := m.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	if fit.Rank != 64 || fit.Unsettled || fit.Ridge != 0 {
		t.Errorf("rank %d, unsettled %v, ridge %v, residual %v, notes %v", fit.Rank, fit.Unsettled, fit.Ridge, fit.Residual(), fit.Notes)
	}
	expect(t, name("condition ", exact.Condition, " iterations ", fit.Iterations), functionsOf(t, fit.Model, stream.Engine{}, source(fresh)),
		functionsOf(t, exact.Model, stream.Engine{}, source(fresh)), 1e-8)
	if len(fit.Errors) != 1 || !(fit.Errors[0].Value < 1e-6) {
		t.Errorf("errors %v", fit.Errors)
	}
}

// TestUnsettled: an iteration that ends early says why and what to do.
func TestUnsettled(t *testing.T) {
	data, _ := between(t)
	fit, err := Solver{C: 300, Rank: 4, Engine: EngineIterative, Iterations: 3, Ridge: 1e-6}.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(fit.Notes, "\n"); !fit.Unsettled || !strings.Contains(notes, "`ridge 1`") || !strings.Contains(notes, "the error of the decision values") {
		t.Errorf("unsettled %v, %v", fit.Unsettled, fit.Notes)
	}
}

// TestOpen: where nobody knows whether the plain system is singular, the residual of the ridge
// system says nothing of how far the decisions are from those of the plain one.
func TestOpen(t *testing.T) {
	data, _ := between(t)
	fit, err := Solver{C: 300, Rank: 4, Engine: EngineIterative, Iterations: 3}.Fit(ctx, stream.Engine{}, data, parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	if !fit.Unsettled || fit.Ridge != 1 || len(fit.Errors) != 1 || !math.IsNaN(fit.Errors[0].Value) {
		t.Errorf("unsettled %v, ridge %v, errors %v, notes %v", fit.Unsettled, fit.Ridge, fit.Errors, fit.Notes)
	}
	for _, flag := range []string{"`ridge 1`", "`C`", "`rank`", "`iterations`", "`engine dense`"} {
		if !strings.Contains(fit.Notes[0], flag) {
			t.Errorf("%s: %s is missing", fit.Notes[0], flag)
		}
	}
}
