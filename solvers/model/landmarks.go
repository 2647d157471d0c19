package model

import "math"

// LandmarkError is the error of a fit with so many landmarks.
type LandmarkError struct {
	Landmarks int
	Error     float64
}

// NextError predicts the error with twice the landmarks. Each doubling removes a part of the squared error. The parts of
// a fit of fixed rank shrink in geometric progression, since its error has a floor. With errors of two numbers of
// landmarks alone, the next doubling removes as large a share as the last. ok is false with fewer errors.
func (r *Report) NextError() (next LandmarkError, ok bool) {
	n := len(r.ByLandmarks)
	if n < 2 {
		return next, false
	}
	last, before := r.ByLandmarks[n-1], r.ByLandmarks[n-2]
	next = LandmarkError{2 * last.Landmarks, last.Error}
	ratio := last.Error / before.Error // squares may underflow
	if !(ratio < 1) {
		return next, true
	}
	share := 1 - ratio*ratio
	if n > 2 {
		first := r.ByLandmarks[n-3].Error / before.Error
		share = min(share, share*share/(first*first-1)/(ratio*ratio)) // NaN and negative shares follow
	}
	if share >= 0 {
		next.Error *= math.Sqrt(1 - share)
	}
	return next, true
}
