package lowrank

import (
	"math"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/solvers/model"
)

// Norm is the norm in which an error is measured, relative to that of A.
type Norm uint8

const (
	// NormSpectral is the largest singular value: it bounds the error of Â·x.
	NormSpectral Norm = iota
	// NormFrobenius is the root of the sum of squared entries: it measures the mean error of an entry of Â.
	NormFrobenius
)

var normWords = []string{"spectral", "frobenius"}

// String returns the word for a norm.
func (n Norm) String() string { return words.Of(normWords, n) }

// quantity returns the quantity of an error in this norm.
func (n Norm) quantity() model.Quantity {
	return []model.Quantity{model.MatrixSpectral, model.MatrixFrobenius}[n]
}

// tooFewHeld is the reason for an unknown error.
const tooFewHeld = "too few rows are held back; verify measures it"

// EstimateIn returns the estimate in [model.Report] of the relative error in a norm, NaN if there is none.
func (f *Fit) EstimateIn(n Norm) float64 {
	for _, e := range f.Estimates {
		if e.Quantity == n.quantity() {
			return e.Value
		}
	}
	return math.NaN()
}

// addErrorEstimates adds the estimates of the errors in both norms, with a note if one exceeds 1, the error of a zero
// model.
func (f *Fit) addErrorEstimates(spectral, frobenius float64, from string) {
	for n, v := range []float64{spectral, frobenius} {
		e := model.Estimate{Quantity: Norm(n).quantity(), Value: v, Evidence: from, Remedy: "raise the `Rank`"}
		if f.TraceKept > 1.1 {
			e.Remedy = "take `Shift fitted`, or a higher `Rank`"
		}
		if v <= 1 {
			f.Estimates = append(f.Estimates, e)
			continue
		}
		if math.IsNaN(v) {
			e.Reason = tooFewHeld
		}
		f.AddEstimate(e)
	}
}
