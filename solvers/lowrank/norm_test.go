package lowrank

import (
	"math"
	"testing"
)

// TestUnknownError: an unknown error keeps its place among the estimates, with a reason.
func TestUnknownError(t *testing.T) {
	var f Fit
	f.Model = &Model{}
	f.addErrorEstimates(math.NaN(), 0.5, "held-back rows")
	if len(f.Estimates) != 2 || f.Estimates[NormSpectral].Reason != tooFewHeld || f.Estimates[NormFrobenius].Reason != "" {
		t.Errorf("errors %+v", f.Estimates)
	}
	if !math.IsNaN(f.EstimateIn(NormSpectral)) || f.EstimateIn(NormFrobenius) != 0.5 || len(f.Notes) > 0 {
		t.Errorf("spectral %g, Frobenius %g, notes %q", f.EstimateIn(NormSpectral), f.EstimateIn(NormFrobenius), f.Notes)
	}
}
