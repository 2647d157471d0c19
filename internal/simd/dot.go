package simd

import "math"

// dot adds in order, with or without rounding the products as the path does.
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
