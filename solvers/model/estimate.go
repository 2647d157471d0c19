package model

import (
	"cmp"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/words"
)

// Quantity is the subject of an estimated error.
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
	// DecisionValues are the decision values of a classifier.
	DecisionValues
	// OperatorValues are singular values or eigenvalues of an operator.
	OperatorValues
)

var quantityWords = []string{"matrix in the spectral norm", "matrix in the Frobenius norm", "kernel, matrix in the spectral norm",
	"kernel, matrix in the Frobenius norm", "plan in the Frobenius norm", "decision values", "values"}

// String returns the quantity in words.
func (q Quantity) String() string { return words.Of(quantityWords, q) }

// doubtful is the smallest estimated error that is also a warning.
const doubtful = 0.1

// Estimate is the estimated error of a model, relative to the exact method.
type Estimate struct {
	// Quantity is the subject of the error. A fit has at most one estimate for each.
	Quantity Quantity
	// Value is the relative error; NaN if unknown.
	Value float64
	// Evidence completes the sentence "estimated from …"; "" if Value is NaN.
	Evidence string
	// Reason is why Value is NaN; "" otherwise.
	Reason string
	// Remedy is a way to reduce the error below a tenth, to complete the sentence "To lessen it, …", with settings in
	// backquotes; "" if none is known.
	Remedy string
}

// AddEstimate adds an estimate, and a warning if the error is at least a tenth.
func (r *Report) AddEstimate(e Estimate) {
	if math.IsNaN(e.Value) {
		reason := cmp.Or(e.Reason, "the figures behind it are not finite")
		e = Estimate{Quantity: e.Quantity, Value: e.Value, Reason: reason}
	}
	r.Estimates = append(r.Estimates, e)
	if !(e.Value > doubtful) {
		return
	}
	text := fmt.Sprintf("the error of the %s is about %.2g, estimated from %s: that is much",
		e.Quantity, e.Value, e.Evidence)
	if e.Remedy != "" {
		text += "; to lessen it, " + e.Remedy
	}
	r.Warn(text)
}
