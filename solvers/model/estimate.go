package model

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/words"
)

// Quantity is what an estimated error is of.
type Quantity uint8

const (
	// MatrixSpectral and MatrixFrobenius are the kernel matrix in either norm.
	MatrixSpectral Quantity = iota
	MatrixFrobenius
	// GibbsSpectral and GibbsFrobenius are the Gibbs kernel of a transport plan in either norm.
	GibbsSpectral
	GibbsFrobenius
	// PlanFrobenius is a transport plan in the Frobenius norm.
	PlanFrobenius
	// DecisionValues are those of a classifier.
	DecisionValues
	// OperatorValues are singular values or eigenvalues of an operator.
	OperatorValues
)

var quantityWords = []string{"matrix in the spectral norm", "matrix in the Frobenius norm", "kernel, matrix in the spectral norm",
	"kernel, matrix in the Frobenius norm", "plan in the Frobenius norm", "decision values", "values"}

// String returns the quantity in words.
func (q Quantity) String() string { return words.Of(quantityWords, q) }

// doubtful is the estimate of an error from which on a fit warns of it.
const doubtful = 0.1

// Estimate is about how far what a model gives is from what the exact method would give.
type Estimate struct {
	// Of is unlike that of the other estimates of a fit.
	Of Quantity
	// Value is the error relative to what is exact; NaN if it is not known.
	Value float64
	// From is the evidence, as the end of the sentence "estimated from …"; "" if Value is NaN.
	From string
	// Reason says why Value is NaN; else it is "".
	Reason string
	// Remedy is what would bring the error below a tenth, as the end of the sentence "To
	// lessen it, …", with settings in backquotes; "" if nothing is known to.
	Remedy string
}

// AddEstimate adds an estimate of an error, and from a tenth on a warning.
func (r *Report) AddEstimate(e Estimate) {
	if math.IsNaN(e.Value) {
		e = Estimate{Of: e.Of, Value: e.Value, Reason: cmp.Or(e.Reason, "the figures behind it are not finite")}
	}
	r.Estimates = append(r.Estimates, e)
	if !(e.Value > doubtful) {
		return
	}
	text := fmt.Sprintf("the error of the %s is about %.2g, estimated from %s: that is much", e.Of, e.Value, e.From)
	if e.Remedy != "" {
		text += "; to lessen it, " + e.Remedy
	}
	r.Warn(text)
}
