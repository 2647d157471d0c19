package main

import "math"

// Functions composed of e^x. With n the integer nearest to x/ln2 and r = x − n·ln2,
//
//	e^x = 2^n·(1 + r + s),   s = r²·q(r) + (rounding error of r).
//
// The three parts are added in the order that loses least.

// split is e^x in these parts. The error of 1 + r + s is at most about half an ulp.
type split struct{ n, r, s vec }

// splitExp splits e^(x+tail) for |x| < 1500 and |tail| < 2^−40. It overwrites both.
func (l *lanes) splitExp(x, tail vec) split {
	e := split{l.vec(), l.vec(), l.vec()}
	l.set(l.rounder(), e.n)
	l.fmaConst(x, l.value(math.Log2E), e.n)
	l.subConst(e.n, l.rounder(), e.n)
	hi, lo := splitLn2()
	l.fnmaConst(e.n, l.value(hi), x) // exact
	l.fnmaConst(e.n, l.value(lo), tail)
	l.add(x, tail, e.r)
	l.sub(x, e.r, x)
	l.add(x, tail, x)
	e.s = l.polynomial(expCoefficients()[2:], e.r, e.s)
	l.mul(e.r, e.r, tail)
	l.multiplyAdd(e.s, tail, x)
	return e
}

// splitExpOf splits e^x.
func (l *lanes) splitExpOf(x vec) split {
	tail := l.vec()
	l.zero(tail)
	return l.splitExp(x, tail)
}

// join sets dst = (1 + r + s)·2^n. It overwrites the parts.
func (l *lanes) join(e split, dst vec) {
	one := l.vec()
	l.set(l.value(1), one)
	l.add(e.r, e.s, e.r)
	l.add(one, e.r, e.r)
	l.timesPower(e.r, e.n, dst)
}

// sign sets s to the sign of x.
func (l *lanes) sign(x, s vec) { l.andConst(x, signBit, s) }

// scaledExp is e^(a·x), with the operations and so the bits of the micro-kernels.
func (v *vector) scaledExp(x []vec) {
	product := v.vec() // AVX2 manipulates bits: a NaN may have become a number
	zero, infinite := v.expLimits()
	for i := range x {
		v.mul(v.a, x[i], x[i])
		v.limited(v.atLeast, zero, x[i], x[i])
		v.limited(v.atMost, infinite, x[i], x[i])
	}
	v.move(x[0], product)
	v.exponentials(x)
	if v.isa == avx2 {
		v.replace(x[0], product, unordered, product, product)
	}
}

// tanh of z = a·x + b is (e^y − 1)/(e^y + 1) with y = 2|z|, both divided by 2^n; the sign is
// restored at the end. From |z| = 22 on it is 1. The rounding error of the divisor corrects the
// quotient, which otherwise exceeds 2 ulp.
func (v *vector) tanh(x vec) {
	v.affine(x)
	s, m, over, lost := v.vec(), v.vec(), v.vec(), v.vec()
	v.sign(x, s)
	v.andConst(x, withoutSign, x)
	v.add(x, x, x)
	v.atMostConst(44, x, x)
	e := v.splitExpOf(x)
	v.inversePower(e.n, m)
	v.set(v.value(1), over)
	v.sub(over, m, over)
	v.add(over, e.r, over)
	v.add(over, e.s, over)
	v.add(m, m, m)
	v.add(over, m, x)
	v.sub(m, x, lost)
	v.add(lost, over, lost)
	v.inverse(x, m)
	q := e.r
	v.mul(over, m, q)
	v.fnma(q, x, over)
	v.fnma(q, lost, over)
	v.fma(over, m, q)
	v.or(q, s, x)
}
