package simd

import "math"

// Normalize sets dst to x divided by its Euclidean length; a zero row stays
// zero. No finite row overflows or underflows on the way. It panics unless dst
// is as long as x; the two may be the same slice.
func Normalize(dst, x []float64) {
	dst = dst[:len(x)]
	_, e := math.Frexp(MaxAbs(x))
	// Two factors, since one power of two may be beyond float64.
	Scale.Apply(dst, x, math.Ldexp(1, -e/2))
	Scale.Apply(dst, dst, math.Ldexp(1, e/2-e))
	s := dot(dst, dst)
	if s == 0 {
		return
	}
	length := math.Sqrt(s)
	for k := range dst {
		dst[k] /= length
	}
}
