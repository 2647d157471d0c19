package simd

import "math"

// Normalize sets dst to x divided by its Euclidean length; a zero row stays
// zero. No finite row overflows or underflows on the way. It panics unless dst
// is as long as x; the two may be the same slice.
func Normalize(dst, x []float64) {
	dst = dst[:len(x)]
	e := exponent(x)
	var s float64
	for k, v := range x {
		v = math.Ldexp(v, -e)
		dst[k] = v
		s += float64(v * v)
	}
	if s == 0 {
		return
	}
	length := math.Sqrt(s)
	for k := range dst {
		dst[k] /= length
	}
}
