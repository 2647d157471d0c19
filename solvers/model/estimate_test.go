package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/solvers/model"
)

func TestEstimateWarns(t *testing.T) {
	for _, c := range []struct {
		value    float64
		warnings int
	}{{0.01, 0}, {0.1, 0}, {0.2, 1}, {math.Inf(1), 1}, {math.NaN(), 0}} {
		var r model.Report
		r.AddEstimate(model.Estimate{Quantity: model.OperatorValues, Value: c.value, Evidence: "200 rows", Remedy: "raise `Rank`"})
		if len(r.Estimates) != 1 || len(r.Warnings) != c.warnings || len(r.Notes) > 0 {
			t.Errorf("%v: %d errors, warnings %q, notes %q", c.value, len(r.Estimates), r.Warnings, r.Notes)
		}
		if c.warnings > 0 && !strings.HasSuffix(r.Warnings[0], "to lessen it, raise `Rank`") {
			t.Errorf("%v: %s", c.value, r.Warnings[0])
		}
	}
}

// TestUnknownError: an unknown error has a reason and no evidence.
func TestUnknownError(t *testing.T) {
	for given, want := range map[string]string{"": "the figures behind it are not finite", "there are no rows": "there are no rows"} {
		var r model.Report
		r.AddEstimate(model.Estimate{
			Quantity: model.PlanFrobenius, Value: math.NaN(), Evidence: "64 rows", Reason: given,
		})
		if e := r.Estimates[0]; e.Reason != want || e.Evidence != "" || len(r.Notes)+len(r.Warnings) > 0 {
			t.Errorf("%+v, notes %q, warnings %q", e, r.Notes, r.Warnings)
		}
	}
	if got := model.PlanFrobenius.String(); got != "plan in the Frobenius norm" {
		t.Error(got)
	}
}
