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
		r.Estimate(model.Estimate{Of: "values", Value: c.value, From: "200 rows", Remedy: "raise `rank`"})
		if len(r.Errors) != 1 || len(r.Notes) != c.notes {
			t.Errorf("%v: %d errors, notes %q", c.value, len(r.Errors), r.Notes)
		}
		if c.notes > 0 && !strings.HasSuffix(r.Notes[0], "to lessen it, raise `rank`") {
			t.Errorf("%v: %s", c.value, r.Notes[0])
		}
	}
}
