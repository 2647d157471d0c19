package model

import "math"

// Report is what every fit tells about itself besides the model. The zero value is
// that of a fit that has nothing to tell.
type Report struct {
	// Notes are sentences for the user: what was adjusted, chosen or left out, and why.
	Notes []string
	// Details are sentences about choices of the method that need no decision of the user: for records of the fit.
	Details []string
	// Warnings are sentences for the user: reasons to doubt the result, such as an iteration that did not converge, a
	// large estimated error or lost digits, and a remedy. A sentence is a note or a warning, not both.
	Warnings []string
	// Choice is the method or engine, where the caller left it open.
	Choice Choice
	// KernelEntries counts the entries of the kernel, and of its derivative, that the fit
	// evaluates in tiles: those of choices, estimates and repeated steps too. The diagonal
	// k(x, x) is not counted.
	KernelEntries int64
	// SourcePasses counts the readings of the source that is read most often. Rows fetched by
	// number are no pass. ExactPasses counts the passes over all entries of A.
	SourcePasses, ExactPasses int
	// Estimates are those of the error of the model; none where the fit is exact.
	// [Report.AddEstimate] adds one.
	Estimates []Estimate
	// ByLandmarks are the errors of fits with a quarter and half of the landmarks, in the order of their draw, and last
	// of the fit itself. It is nil if a method or a fit cannot tell.
	ByLandmarks []LandmarkError
	// Residuals are those of the equations that the values and vectors solve, one for each
	// value, relative to the largest value; nil where they are not known.
	Residuals []float64
	// NotConverged reports that an iteration ended before it reached its tolerance. Warnings
	// say why.
	NotConverged bool
}

// Choice is what a method has chosen, and why.
type Choice struct{ Name, Reason string }

// String returns the name, and after a colon the reason if there is one.
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
