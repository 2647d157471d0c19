//go:build !noasm

package simd

import "unsafe"

// The lanes of float64 that the calibrations work on, as in _gen/peak.go.
const (
	sumLanes     = 24 * 2
	profileLanes = 16 * 2
)

// peak runs the calibration of sums, or of the job's profile if it has one, and
// returns the number of lanes in the registers that it works on.
func (j *job) peak(_ Path, single bool) (lanes int) {
	a := (*uint64)(unsafe.Pointer(j))
	sums := j.profile == uint64(identity)
	switch {
	case sums && single:
		peakSumsF32NEON(a)
	case sums:
		peakSumsF64NEON(a)
	case single:
		peakProfileF32NEON(a)
	default:
		peakProfileF64NEON(a)
	}
	lanes = profileLanes
	if sums {
		lanes = sumLanes
	}
	if single {
		lanes *= 2
	}
	return lanes
}
