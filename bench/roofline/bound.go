package main

import "github.com/nystream/nystream/internal/simd"

// Rounds of one piece of a calibration: about 50 µs.
const (
	sumRounds     = 4096
	profileRounds = 256
)

// peaks returns the calibrations that bound a kernel. Their order is that of the
// samples in bound.
func peaks[T simd.Float](k kernel, path simd.Path) []load {
	step := func(int) int { return simd.PeakFMA[T](path, sumRounds) / 2 }
	if k.base == simd.Absolute {
		step = func(int) int { return simd.PeakAbsolute[T](path, sumRounds) }
	}
	return []load{
		{path: path, run: step},
		{path: path, run: func(int) int { return simd.PeakProfile[T](path, k.calibration, profileRounds) }},
	}
}

// bound returns the least time of an entry of d columns, in nanoseconds, from those
// of a step and of a profile.
func bound(d int, step, profile samples) samples {
	return step.combine(profile, func(s, p float64) float64 { return float64(d)*s + p })
}
