package ksvd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestTolerance: landmarks double until the directions meet the tolerance, as the exact ones confirm. Doubling ends
// with all rows, or at the memory limit.
func TestTolerance(t *testing.T) {
	x, z := gaussian(900, 3, 1, 1), gaussian(500, 3, 1, 2)
	data, k := between(t, x, z), parse(t, "sne(gamma=2)")
	exact, err := Exact{Rank: 5, Center: true}.Fit(background, stream.Engine{}, data, k)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, tolerance := range []float64{0.2, 0.02, 1e-13} {
		m := Nystrom{Rank: 5, Rows: 12, Center: true, Tolerance: tolerance, Scaling: ScaleOrthonormal, Seed: 1}
		fit, err := m.Fit(background, stream.Engine{}, data, k)
		if err != nil {
			t.Fatal(err)
		}
		u, v, err := factors(fit, stream.Engine{})
		if err != nil {
			t.Fatal(err)
		}
		truth, err := eta(exact.U, exact.V, exact.Values, u, v)
		if err != nil {
			t.Fatal(err)
		}
		if fit.Samples[0] < before || fit.Samples[0] == 12 {
			t.Errorf("tolerance %g: %v landmarks", tolerance, fit.Samples)
		}
		before = fit.Samples[0]
		if tolerance > 1e-3 && (fit.NotConverged || truth > 1.5*tolerance || fit.Directions.Error > tolerance) {
			t.Errorf("tolerance %g: η is %.3g, estimated as %.3g, not converged %v", tolerance, truth, fit.Directions.Error, fit.NotConverged)
		}
		one := m
		one.Tolerance, one.Rows, one.Cols = 0, fit.Samples[0], fit.Samples[1]
		same, err := one.Fit(background, stream.Engine{}, data, k)
		if err != nil || fmt.Sprint(same.Values) != fmt.Sprint(fit.Values) {
			t.Errorf("tolerance %g: values %v, and %v with as many landmarks", tolerance, fit.Values, same.Values)
		}
	}
	// With all rows the fit is exact up to rounding, so no tolerance needs more.
	if before != 900 {
		t.Errorf("tolerance 1e-13 ends with %d landmarks", before)
	}
}

// TestToleranceEnds: if memory allows no more landmarks, the fit ends with a warning.
func TestToleranceEnds(t *testing.T) {
	data, k := between(t, gaussian(900, 3, 1, 1), gaussian(500, 3, 1, 2)), parse(t, "sne(gamma=2)")
	m := Nystrom{Rank: 5, Tolerance: 1e-6, Rows: 40, Cols: 20, Seed: 1}
	p, err := Nystrom{Rank: 5, Rows: 80, Cols: 40}.Plan(stream.Engine{}, data.Size(), k)
	if err != nil {
		t.Fatal(err)
	}
	m.Memory = p.Memory.Total() + 1
	fit, err := m.Fit(background, stream.Engine{}, data, k)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(fit.Warnings)
	if fit.Samples != [2]int{80, 40} || !fit.NotConverged || !strings.Contains(said, "the tolerance of 1e-06 was not reached") || !strings.Contains(said, "`Memory`") {
		t.Errorf("landmarks %v, warnings %q", fit.Samples, said)
	}
	for _, bad := range []float64{-1, 2, 3} {
		m.Tolerance = bad
		if _, err := m.Fit(background, stream.Engine{}, data, k); err == nil {
			t.Errorf("tolerance %g: no error", bad)
		}
	}
	planned, err := Nystrom{Rank: 5, Tolerance: 0.1}.Plan(stream.Engine{}, model.Size{Rows: 1e6, Cols: 1e6, Columns: 3}, k)
	if err != nil || !strings.Contains(planned.NotShardable, "`Tolerance`") || len(planned.Notes) == 0 {
		t.Errorf("plan %+v, %v", planned, err)
	}
}
