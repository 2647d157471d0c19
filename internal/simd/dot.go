package simd

import "math"

// dot returns the inner product, summed in order. It rounds products separately only on the Go
// path.
func dot(x, y []float64) (s float64) {
	if active == Go {
		for k, a := range x {
			s += float64(a * y[k])
		}
		return s
	}
	for k, a := range x {
		s = math.FMA(a, y[k], s)
	}
	return s
}
