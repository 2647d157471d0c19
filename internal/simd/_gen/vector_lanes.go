package main

import "github.com/mmcloughlin/avo/operand"

// Instructions of the functions over slices of float64.

// Comparisons, false when one side is NaN except for unordered.
const (
	equal     = operand.U8(0x00)
	unordered = operand.U8(0x03)
	below     = operand.U8(0x11)
)

// replace sets dst = by in the lanes where a and b compare so.
func (l *lanes) replace(dst, a vec, so operand.U8, b, by vec) {
	if l.isa == avx512 {
		k := l.K()
		l.VCMPPD(so, b, a, k)
		l.VMOVAPD(by, k, dst)
		return
	}
	l.scope(func() {
		mask := l.vec()
		l.VCMPPD(so, b, a, mask)
		l.VBLENDVPD(mask, by, dst, dst)
	})
}

// replaceConst is replace by a constant after a comparison with a constant.
func (l *lanes) replaceConst(dst, a vec, so operand.U8, b, by float64) {
	l.scope(func() {
		limit, value := l.vec(), l.vec()
		l.set(l.value(b), limit)
		l.set(l.value(by), value)
		l.replace(dst, a, so, limit, value)
	})
}

// replaceNegative sets dst = by in the lanes where a has its sign set.
func (l *lanes) replaceNegative(dst, a, by vec) {
	if l.isa == avx512 {
		k := l.K()
		l.VPMOVQ2M(a, k)
		l.VMOVAPD(by, k, dst)
		return
	}
	l.VBLENDVPD(a, by, dst, dst)
}

const signBit = constant(1 << 63)

// dst = a AND c, a OR c by bits, and a + c in whole numbers of 64 bits.
func (l *lanes) andConst(a vec, c constant, dst vec) { l.withConst(c, l.VANDPD, l.VANDPD_BCST, a, dst) }
func (l *lanes) orConst(a vec, c constant, dst vec)  { l.withConst(c, l.VORPD, l.VORPD_BCST, a, dst) }
func (l *lanes) addBits(a vec, c constant, dst vec)  { l.withConst(c, l.VPADDQ, l.VPADDQ_BCST, a, dst) }

// p = p·x + c, and acc = a·b − acc.
func (l *lanes) multiplyAdd(p, x, c vec)    { l.VFMADD213PD(c, x, p) }
func (l *lanes) productMinus(a, b, acc vec) { l.VFMSUB231PD(b, a, acc) }

// dst = the larger, or the smaller, of x and c; NaN if x is NaN.
func (l *lanes) atLeastConst(c float64, x, dst vec) {
	l.limited(l.atLeast, l.value(c), x, dst)
}

func (l *lanes) atMostConst(c float64, x, dst vec) {
	l.limited(l.atMost, l.value(c), x, dst)
}

func (l *lanes) limited(f func(limit vec, x operand.Op, dst vec), c constant, x, dst vec) {
	l.scope(func() {
		limit := l.vec()
		l.set(c, limit)
		f(limit, x, dst)
	})
}

// inversePower sets dst = 2^−n for whole n with |n| ≤ 1022.
func (l *lanes) inversePower(n, dst vec) {
	l.scope(func() { // 1023 − n in the low bits, and from there into the exponent
		t := l.vec()
		l.set(l.value(0x1.8p52+1023), t)
		l.sub(t, n, dst)
		l.VPSLLQ(operand.U8(52), dst, dst)
	})
}

// timesPower sets dst = p·2^n, rounded once, for whole n; n is spoiled. AVX2
// works on the bits of p, so that a NaN of n must not reach it.
func (l *lanes) timesPower(p, n, dst vec) {
	if l.isa == avx2 {
		l.scope(func() {
			zero := l.vec()
			l.zero(zero)
			l.replace(n, n, unordered, n, zero)
		})
		l.addConst(n, l.rounder(), n)
	}
	l.scaleByPower(p, n, dst)
}
