package main

import (
	"math"
	"math/big"
)

// Logarithms: u = 2^k·m with √½ ≤ m < √2, and with f = m − 1, s = f/(2 + f)
//
//	log m = 2·artanh(s) = 2s + s·z·p(z),   z = s².

// rootOfHalf holds the bits of √½, the lower bound of m.
var rootOfHalf = math.Float64bits(math.Sqrt2 / 2)

const mantissa = constant(1<<52 - 1)

// splitLog sets k and m for positive normal u; m may be u.
func (l *lanes) splitLog(u, k, m vec) {
	bias := uint64(1023) << 52
	l.addBits(u, constant(bias-rootOfHalf), m)
	l.shiftRight(52, m, k)
	l.orConst(k, l.value(0x1p52), k)
	l.subConst(k, l.value(0x1p52+1023), k)
	l.andConst(m, mantissa, m)
	l.addBits(m, constant(rootOfHalf), m)
}

// artanhTail returns p(z) = 2/3 + 2z/5 + 2z²/7 + … without its first skipped terms, divided by the
// common power of z.
func artanhTail(skipped int) func(z *big.Float) *big.Float {
	return func(z *big.Float) *big.Float {
		sum, power := number(0), number(1)
		for n := 3 + 2*skipped; n < 300; n += 2 {
			t := new(big.Float).Quo(number(2), number(float64(n)))
			sum.Add(sum, t.Mul(t, power))
			power = new(big.Float).Mul(power, z)
		}
		return sum
	}
}

// largestZ is z for m = √2, the upper bound.
const largestZ = (math.Sqrt2 - 1) / (math.Sqrt2 + 1) * (math.Sqrt2 - 1) / (math.Sqrt2 + 1)

// log1p is log(1 + z) for z = a·x. With u the rounded 1 + z and d its rounding error, it is log u +
// d/u; log m = f − (f²/2 − s·(f²/2 + z·p(z))).
func (v *vector) log1p(x vec) {
	v.mul(v.a, x, x)
	u, d, k, f := v.vec(), v.vec(), v.vec(), v.vec()
	v.addConst(x, v.value(1), u)
	v.scope(func() { v.lost(x, u, d) })
	v.splitLog(u, k, f)
	v.scope(func() { // d/2^k; negligible beyond 2^1000
		t := v.vec()
		v.atMostConst(1000, k, t)
		v.inversePower(t, t)
		v.mul(d, t, d)
	})
	v.subConst(f, v.value(1), f)
	inverse, s := u, v.vec()
	v.addConst(f, v.value(2), s)
	v.inverse(s, inverse)
	v.mul(f, inverse, s)
	v.divideByOnePlus(d, s, inverse)
	z, p, half := v.vec(), v.vec(), v.vec()
	v.mul(s, s, z)
	p = v.polynomial(interpolant(artanhTail(0), 0, largestZ, 7), z, p)
	v.mulConst(f, v.value(0.5), half)
	v.mul(z, p, p)
	v.fma(half, f, p) // f²/2 + z·p(z)
	v.mul(s, p, p)
	v.productMinus(half, f, p) // f²/2 − s·(…)
	hi, lo := splitLn2()
	v.fmaConst(k, v.value(lo), d)
	v.sub(p, d, p)
	v.sub(f, p, f)
	v.fmaConst(k, v.value(hi), f)
	v.scope(func() { v.logLimits(x, f) })
	v.move(f, x)
}

// lost sets d = x − (u − 1), exactly, where u is the rounded 1 + x.
func (v *vector) lost(x, u, d vec) {
	one, t := v.vec(), v.vec()
	v.set(v.value(1), one)
	v.sub(u, one, t) // what x became
	v.sub(x, t, d)
	v.sub(u, t, t) // what 1 became
	v.sub(one, t, t)
	v.add(d, t, d)
}

// divideByOnePlus sets d = d/(1 + f) to about ten bits, by 1/(1+f) = (1 − s)/(1 + s) = 2/(2+f)·(1 −
// s + s² − …).
func (v *vector) divideByOnePlus(d, s, inverse vec) {
	v.scope(func() {
		t, one := v.vec(), v.vec()
		v.set(v.value(1), one)
		v.add(d, d, d)
		v.mul(d, inverse, d)
		v.sub(one, s, t)
		v.fnma(s, t, one) // 1 − s + s²
		v.mul(d, one, d)
	})
}

// logLimits sets log(1+x) where the formula fails, and the sign of zero.
func (v *vector) logLimits(x, y vec) {
	v.replaceConst(y, x, equal, math.Inf(1), math.Inf(1))
	v.replaceConst(y, x, equal, -1, math.Inf(-1))
	v.replaceConst(y, x, below, -1, math.NaN())
	s := v.vec()
	v.sign(x, s)
	v.or(y, s, y)
}
