package model

import "math"

// Report describes a fit beyond the model itself. The zero value is an empty report.
type Report struct {
	// Notes are sentences for the user: what was adjusted, chosen or dropped, and why.
	Notes []string
	// Details are sentences about choices of the method that need no decision of the user: for records of the fit.
	Details []string
	// Warnings are sentences for the user: reasons to doubt the result, each with a remedy. Examples are an iteration
	// that did not converge, a large estimated error and lost digits. A sentence is a note or a warning, not both.
	Warnings []string
	// Choice is the method or engine, if the caller left it open.
	Choice Choice
	// KernelEntries counts the entries of the kernel, and of its derivative, that the fit evaluates in tiles. It
	// includes those for choices, estimates and repeated steps, but not the diagonal k(x, x).
	KernelEntries int64
	// SourcePasses counts the passes over the source that is read most often. Gathering rows by number is no pass.
	// ExactPasses counts the passes over all entries of A.
	SourcePasses, ExactPasses int
	// Estimates are the estimated errors of the model; none for an exact fit. [Report.AddEstimate] adds one.
	Estimates []Estimate
	// ByLandmarks has the errors of fits with a quarter and half of the landmarks, in the order of their draw, followed
	// by that of the fit itself. It is nil if these are not available.
	ByLandmarks []LandmarkError
	// MostLandmarks limits the number of landmarks of a prediction: see [Report.NextError]. It is 0 if unknown.
	MostLandmarks int
	// Residuals are the relative residuals of the equations of the values and vectors, one for each value, relative to
	// the largest value; nil if unknown.
	Residuals []float64
	// NotConverged reports that an iteration ended before it reached its tolerance. Warnings have the reason.
	NotConverged bool
}

// Choice is a choice made by a method, with its reason.
type Choice struct{ Name, Reason string }

// String returns the name, followed by a colon and the reason if there is one.
func (c Choice) String() string {
	if c.Reason == "" {
		return c.Name
	}
	return c.Name + ": " + c.Reason
}

// Residual returns the largest of the residuals, 0 if there are none.
func (r *Report) Residual() float64 {
	most := 0.0
	for _, v := range r.Residuals {
		most = math.Max(most, v)
	}
	return most
}

// Note adds sentences to Notes.
func (r *Report) Note(sentences ...string) { r.Notes = append(r.Notes, sentences...) }

// Warn adds sentences to Warnings.
func (r *Report) Warn(sentences ...string) { r.Warnings = append(r.Warnings, sentences...) }
