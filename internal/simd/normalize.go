package simd

import "math"

// Normalize sets dst to x divided by its Euclidean norm; a zero row stays zero. There is no
// intermediate over- or underflow for finite rows. It panics unless both have the same length; they
// may be the same slice.
func Normalize(dst, x []float64) {
	dst = dst[:len(x)]
	_, e := math.Frexp(MaxAbs(x))
	// Two factors, since a single power of two may exceed float64.
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
