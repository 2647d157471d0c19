package main

// Lane operations of the functions over slices.

// replaceConst is replace by a constant after a comparison with a constant.
func (l *lanes) replaceConst(dst, a vec, so comparison, b, by float64) {
	l.scope(func() {
		limit, value := l.vec(), l.vec()
		l.set(l.value(b), limit)
		l.set(l.value(by), value)
		l.replace(dst, a, so, limit, value)
	})
}

const signBit = constant(1 << 63)

// dst = the larger, or the smaller, of x and c; NaN if x is NaN.
func (l *lanes) atLeastConst(c float64, x, dst vec) {
	l.limited(l.atLeast, l.value(c), x, dst)
}

func (l *lanes) atMostConst(c float64, x, dst vec) {
	l.limited(l.atMost, l.value(c), x, dst)
}

func (l *lanes) limited(f func(limit vec, x arg, dst vec), c constant, x, dst vec) {
	l.scope(func() {
		limit := l.vec()
		l.set(c, limit)
		f(limit, x, dst)
	})
}

// inversePower sets dst = 2^−n for integer n with |n| ≤ 1022.
func (l *lanes) inversePower(n, dst vec) {
	l.scope(func() { // 1023 − n in the low bits, and from there into the exponent
		t := l.vec()
		l.set(l.value(0x1.8p52+1023), t)
		l.sub(t, n, dst)
		l.shiftLeft(52, dst, dst)
	})
}

// timesPower sets dst = p·2^n, rounded once, for integer n, which it overwrites. AVX2 manipulates
// the bits of p, so n must not be NaN.
func (l *lanes) timesPower(p, n, dst vec) {
	if l.isa == avx2 {
		l.scope(func() {
			zero := l.vec()
			l.zero(zero)
			l.replace(n, n, unordered, n, zero)
		})
	}
	if l.isa != avx512 {
		l.addConst(n, l.rounder(), n)
	}
	l.scaleByPower(p, n, dst)
}
