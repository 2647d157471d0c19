package main

import "math"

// A pair is a number in two parts: hi, and lo below its rounding error.
type pair struct{ hi, lo vec }

func (l *lanes) pair() pair { return pair{l.vec(), l.vec()} }

// multiplyPairs sets dst = a·b. dst must be another pair.
func (l *lanes) multiplyPairs(a, b, dst pair) {
	l.mul(a.hi, b.hi, dst.hi)
	l.move(dst.hi, dst.lo)
	l.productMinus(a.hi, b.hi, dst.lo)
	l.fma(a.hi, b.lo, dst.lo)
	l.fma(a.lo, b.hi, dst.lo)
}

// accumulate adds b to the sum. |b| must not exceed |sum| unless the sum is zero.
func (l *lanes) accumulate(sum pair, b vec) {
	l.scope(func() {
		t := l.vec()
		l.add(sum.hi, b, t)
		l.sub(sum.hi, t, sum.hi)
		l.add(sum.hi, b, sum.hi)
		l.add(sum.lo, sum.hi, sum.lo)
		l.move(t, sum.hi)
	})
}

// normalize renormalises a pair: lo is again below the rounding error of hi.
func (l *lanes) normalize(p pair) {
	l.scope(func() {
		t := l.vec()
		l.add(p.hi, p.lo, t)
		l.sub(p.hi, t, p.hi)
		l.add(p.hi, p.lo, p.lo)
		l.move(t, p.hi)
	})
}

// pow is x^a for 0 ≤ x ≤ 1 and a > 0: e^(a·log x), with the logarithm as a pair.
func (v *vector) pow(x vec) {
	special, k := v.vec(), v.vec() // special is NaN for NaN, −∞ for zero
	v.sub(x, x, special)
	v.replaceConst(special, x, equal, 0, math.Inf(-1))
	v.splitAnyLog(x, k)
	log := v.pair()
	v.scope(func() { v.logPair(x, k, log) })
	y := pair{v.vec(), k}
	v.mul(v.a, log.hi, y.hi)
	v.move(y.hi, y.lo)
	v.productMinus(v.a, log.hi, y.lo)
	v.fma(v.a, log.lo, y.lo)
	v.add(y.hi, special, special)
	v.atLeastConst(-800, special, y.hi)
	v.scope(func() { v.join(v.splitExp(y.hi, y.lo), x) })
	v.replaceConst(x, special, below, -746, 0)
}

// splitAnyLog is splitLog for x ≥ 0, in place. Subnormal numbers are scaled first.
func (v *vector) splitAnyLog(x, k vec) {
	v.scope(func() {
		less, least, scaled := v.vec(), v.vec(), v.vec()
		v.zero(less)
		v.replaceConst(less, x, below, 0x1p-1022, 54)
		v.set(v.value(0x1p-1022), least)
		v.mulConst(x, v.value(0x1p54), scaled)
		v.replace(x, x, below, least, scaled)
		v.splitLog(x, k, x)
		v.sub(k, less, k)
	})
}

// logPair sets sum to log(2^k·m), with a relative error of about 2^−65. It overwrites m.
func (v *vector) logPair(m, k vec, sum pair) {
	s, z, g := v.pair(), v.pair(), v.pair()
	v.quotient(m, s, z)
	v.multiplyPairs(s, s, z)
	v.artanhFactor(z.hi, sum)
	v.multiplyPairs(z, sum, g)
	v.multiplyPairs(s, g, z) // s·z·p(z)
	hi, lo := splitLn2()
	v.mulConst(k, v.value(hi), sum.hi) // exact
	v.mulConst(k, v.value(lo), sum.lo)
	v.add(s.hi, s.hi, s.hi)
	v.add(s.lo, s.lo, s.lo)
	v.accumulate(sum, s.hi)
	v.accumulate(sum, z.hi)
	v.add(sum.lo, s.lo, sum.lo)
	v.add(sum.lo, z.lo, sum.lo)
	v.normalize(sum)
}

// quotient sets s = (m − 1)/(m + 1). It overwrites m and the scratch.
func (v *vector) quotient(m vec, s, scratch pair) {
	v.scope(func() {
		f, inverse := v.vec(), v.vec()
		sum, lost := scratch.hi, scratch.lo
		v.subConst(m, v.value(1), f)
		v.addConst(m, v.value(1), sum)
		v.subConst(sum, v.value(1), lost)
		v.sub(m, lost, lost)
		v.inverse(sum, inverse)
		v.mul(f, inverse, s.hi)
		v.fnma(s.hi, sum, f)
		v.fnma(s.hi, lost, f)
		v.mul(f, inverse, s.lo)
	})
}

// artanhFactor sets p = p(z) as a pair: 2/3 and a smaller part.
func (v *vector) artanhFactor(z vec, p pair) {
	const first = 2.0 / 3
	q := v.polynomial(interpolant(artanhTail(1), 0, largestZ, 7), z, p.hi)
	v.scope(func() {
		t := v.vec()
		v.mul(z, q, p.lo)
		v.set(v.value(first), t)
		v.add(t, p.lo, p.hi)
		v.sub(t, p.hi, t)
		v.add(t, p.lo, p.lo)
		v.addConst(p.lo, v.value(twoThirdsLess(first)), p.lo)
	})
}

// twoThirdsLess is 2/3 − v.
func twoThirdsLess(v float64) float64 {
	t := number(2)
	t.Quo(t, number(3))
	r, _ := t.Sub(t, number(v)).Float64()
	return r
}
