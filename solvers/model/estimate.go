package model

import "fmt"

// doubtful is the estimate of an error from which on a fit warns of it.
const doubtful = 0.1

// Estimate is about how far what a model gives is from what the exact method would give.
type Estimate struct {
	// Of is what the error is of, such as "decision values"; unlike those of the other
	// estimates of a fit.
	Of string
	// Value is the error relative to what is exact; NaN where it is not known.
	Value float64
	// From is what it was worked out from, as the end of the sentence "estimated from …".
	From string
	// Remedy is what would bring the error below a tenth, as the end of the sentence "To
	// lessen it, …", with settings in backquotes; "" if nothing is known to.
	Remedy string
}

// Estimate adds an estimate of an error, and from a tenth on a note that warns of it.
func (r *Report) Estimate(e Estimate) {
	r.Errors = append(r.Errors, e)
	if !(e.Value > doubtful) {
		return
	}
	text := fmt.Sprintf("the error of the %s is about %.2g, estimated from %s: that is much", e.Of, e.Value, e.From)
	if e.Remedy != "" {
		text += "; to lessen it, " + e.Remedy
	}
	r.Note(text)
}
