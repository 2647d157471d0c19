package model

import "math"

// LandmarkError is the error of a fit with so many landmarks.
type LandmarkError struct {
	Landmarks int
	Error     float64
}

// NextError predicts the error with twice the landmarks: the squared error falls by the share by which the last doubling
// has lowered it. ok is false without [Report.ByLandmarks].
func (r *Report) NextError() (next LandmarkError, ok bool) {
	n := len(r.ByLandmarks)
	if n < 2 {
		return next, false
	}
	last := r.ByLandmarks[n-1]
	return LandmarkError{2 * last.Landmarks, last.Error * math.Sqrt(1-r.LandmarkGain())}, true
}

// LandmarkGain returns the share of the squared error that the last doubling of the landmarks has removed, 0 if it
// has removed nothing; 0 without [Report.ByLandmarks].
func (r *Report) LandmarkGain() float64 {
	n := len(r.ByLandmarks)
	if n < 2 || !(r.ByLandmarks[n-2].Error > 0) {
		return 0
	}
	ratio := r.ByLandmarks[n-1].Error / r.ByLandmarks[n-2].Error
	return math.Max(0, 1-ratio*ratio)
}
