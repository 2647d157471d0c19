package simd

import "math"

// halfUlp32 is the relative rounding of float32.
const halfUlp32 = 0x1p-24

// Rounding32 bounds what the arithmetic of float32 does to the profile f of a
// value s that is a float32. The result is, up to 2⁻¹²⁶,
//
//	f(s+δ)·(1+ε)    with |δ| ≤ argument, |ε| ≤ value.
//
// Both are +Inf if a parameter of the profile does not fit a float32, or if its
// polynomial may cancel or be large: it is then to be applied in float64.
func (f Profile) Rounding32(s float64) (argument, value float64) {
	const u = halfUlp32
	s = math.Abs(s)
	if !fits32(f.a) || !fits32(f.b) || !fits32(f.c) {
		return math.Inf(1), math.Inf(1)
	}
	switch f.kind {
	case identity:
		return 0, 0
	case exponential: // a and the product are rounded; 1 ulp of the exponential
		return 3 * u * s, 3 * u
	case exponentialOfRoot: // a, the root and the product; z·z is as s
		if f.a > 0 || f.b > 0 || f.b < -1 || f.c < 0 || f.c > 1 {
			break
		}
		return 7 * u * s, 12 * u
	case power: // a, b, the product and the sum, all of it to the degree
		return 3*u*s + 2*u*math.Abs(f.b/f.a), 3 * u * float64(f.degree)
	}
	return math.Inf(1), math.Inf(1)
}

// fits32 reports whether v is 0 or rounds to a normal float32.
func fits32(v float64) bool {
	v = math.Abs(v)
	return v == 0 || v >= 0x1p-126 && v <= math.MaxFloat32
}
