package simd

import "math"

// MaxAbs returns the largest magnitude in x: 0 if x is empty, NaN if x holds NaN. It runs at memory
// speed.
func MaxAbs(x []float64) float64 {
	if active == Go {
		return maxAbsGo(x)
	}
	var m float64
	for len(x) >= vectorLanes {
		n := min(len(x), valuesAtATime) &^ (vectorLanes - 1)
		var lanes [vectorLanes]float64
		largestLanes(x[:n], &lanes)
		m = max(m, maxAbsGo(lanes[:]))
		x = x[n:]
	}
	return max(m, maxAbsGo(x))
}

// maxAbsGo is the reference of MaxAbs.
func maxAbsGo(x []float64) (m float64) {
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
