package model_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/solvers/model"
)

func TestEstimateWarns(t *testing.T) {
	for _, c := range []struct {
		value float64
		notes int
	}{{0.01, 0}, {0.1, 0}, {0.2, 1}, {math.Inf(1), 1}, {math.NaN(), 0}} {
		var r model.Report
		r.AddEstimate(model.Estimate{Of: model.OperatorValues, Value: c.value, From: "200 rows", Remedy: "raise `rank`"})
		if len(r.Estimates) != 1 || len(r.Notes) != c.notes {
			t.Errorf("%v: %d errors, notes %q", c.value, len(r.Estimates), r.Notes)
		}
		if c.notes > 0 && !strings.HasSuffix(r.Notes[0], "to lessen it, raise `rank`") {
			t.Errorf("%v: %s", c.value, r.Notes[0])
		}
	}
}

// An error that is not known has a reason, and nothing that it was estimated from.
func TestUnknownError(t *testing.T) {
	for given, want := range map[string]string{"": "the figures behind it are not finite", "there are no rows": "there are no rows"} {
		var r model.Report
		r.AddEstimate(model.Estimate{Of: model.PlanFrobenius, Value: math.NaN(), From: "64 rows", Reason: given})
		if e := r.Estimates[0]; e.Reason != want || e.From != "" || len(r.Notes) > 0 {
			t.Errorf("%+v, notes %q", e, r.Notes)
		}
	}
	if got := model.PlanFrobenius.String(); got != "plan in the Frobenius norm" {
		t.Error(got)
	}
}
