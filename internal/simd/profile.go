package simd

import (
	"math"
	"math/bits"
	"unsafe"
)

// Profile is a function of one number that a tile applies to its entries while they are in
// registers. The zero Profile is the identity.
type Profile struct {
	kind    profileKind
	a, b, c float64
	degree  int
}

type profileKind uint8

const (
	identity profileKind = iota
	exponential
	exponentialOfRoot
	power
)

// Exponential returns e^(a·s). The product is rounded before the exponential, which
// is within 1 ulp on every path.
func Exponential(a float64) Profile { return Profile{kind: exponential, a: a} }

// ExponentialOfRoot returns (1 + b·z + c·z²)·e^z with z = a·√s, for a < 0 and s ≥ 0;
// 0 once e^z is.
func ExponentialOfRoot(a, b, c float64) Profile {
	return Profile{kind: exponentialOfRoot, a: a, b: b, c: c}
}

// Power returns (a·s + b)^degree for a degree of at least 1.
func Power(a, b float64, degree int) Profile {
	return Profile{kind: power, a: a, b: b, degree: degree}
}

// Bounded reports whether f(s) is finite for all s ≥ 0 and for +Inf.
func (f Profile) Bounded() bool {
	return (f.kind == exponential || f.kind == exponentialOfRoot) && f.a < 0
}

// exponent returns the bits of the degree below its leading one, left-aligned, and their number.
func (f Profile) exponent() (power, count uint64) {
	if f.degree < 1 {
		return 0, 0
	}
	n := bits.Len(uint(f.degree)) - 1
	return uint64(f.degree) << (64 - n), uint64(n)
}

// Apply sets v[i] = f(v[i]), with the same bits as in a tile.
func (f Profile) Apply(v []float64) {
	if f.kind == identity || len(v) == 0 {
		return
	}
	if active == Go {
		f.applyGo(v)
		return
	}
	// A sweep of no steps whose sums start from v.
	_, groups := active.geometry()
	width := groups * Lanes
	full := len(v) / width
	s := sweep{dst: unsafe.Pointer(unsafe.SliceData(v)), dstRow: uintptr(8 * width),
		rows: full, cols: width, profile: f, add: true, base: Square}
	s.run()
	if rest := v[full*width:]; len(rest) > 0 {
		s.dst, s.rows, s.cols = unsafe.Pointer(unsafe.SliceData(rest)), 1, len(rest)
		s.run()
	}
}

// applyGo is the reference of Apply.
func (f Profile) applyGo(v []float64) {
	for i, s := range v {
		v[i] = f.at(s)
	}
}

// at returns the value of the profile at s.
func (f Profile) at(s float64) float64 {
	switch f.kind {
	case exponential:
		return expOf(float64(f.a * s))
	case exponentialOfRoot:
		return f.ofRoot(float64(f.a * math.Sqrt(s)))
	case power:
		return integerPower(float64(f.a*s)+f.b, f.degree)
	}
	return s
}

func (f Profile) ofRoot(z float64) float64 {
	if z < -746 {
		return 0
	}
	q := float64(float64(float64(f.c*z)+f.b)*z) + 1
	return q * expOf(z)
}

// integerPower returns b^n for n ≥ 1, by squaring and multiplying from the leading bit of n down.
func integerPower(b float64, n int) float64 {
	p := b
	for k := bits.Len(uint(n)) - 2; k >= 0; k-- {
		p *= p
		if n>>k&1 == 1 {
			p *= b
		}
	}
	return p
}
