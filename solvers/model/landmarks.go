package model

import "math"

// LandmarkError is the error of a fit with a given number of landmarks.
type LandmarkError struct {
	Landmarks int
	Error     float64
}

// NextError predicts the error with twice the landmarks, or MostLandmarks if these are fewer. Each doubling removes a
// fraction of the squared error. For a fit of fixed rank, whose error has a floor, the removed amounts are assumed to
// shrink geometrically. From two errors alone, the next doubling is assumed to remove the same fraction as the last. ok
// is false if there are fewer than two errors, or no more landmarks.
func (r *Report) NextError() (next LandmarkError, ok bool) {
	n := len(r.ByLandmarks)
	if n < 2 {
		return next, false
	}
	last, before := r.ByLandmarks[n-1], r.ByLandmarks[n-2]
	next = LandmarkError{2 * last.Landmarks, last.Error}
	if r.MostLandmarks > 0 {
		next.Landmarks = min(next.Landmarks, r.MostLandmarks)
	}
	if next.Landmarks <= last.Landmarks {
		return next, false
	}
	ratio := last.Error / before.Error // squares may underflow
	if !(ratio < 1) {
		return next, true
	}
	share := 1 - ratio*ratio
	if n > 2 {
		first := r.ByLandmarks[n-3].Error / before.Error
		share = min(share, share*share/(first*first-1)/(ratio*ratio)) // NaN and negative shares propagate
	}
	if share >= 0 {
		doublings := math.Log2(float64(next.Landmarks) / float64(last.Landmarks))
		next.Error *= math.Pow(1-share, doublings/2)
	}
	return next, true
}
