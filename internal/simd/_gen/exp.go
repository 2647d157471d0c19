package main

import (
	"math"
	"math/big"
)

// expDegree is the degree of the polynomial for e^r on |r| ≤ ln2/2; its error is below a tenth of
// an ulp.
const expDegree = 11

// expCoefficients returns the coefficients of e^r ≈ 1 + r + r²·q(r), constant first.
func expCoefficients() []float64 {
	q := interpolant(expTail, -math.Ln2/2, math.Ln2/2, expDegree-2)
	return append([]float64{1, 1}, q...)
}

// expTail returns (e^r − 1 − r)/r², by its series.
func expTail(r *big.Float) *big.Float {
	sum, term := number(0), number(0.5)
	for n := 3; n < 60; n++ {
		sum.Add(sum, term)
		term = new(big.Float).Mul(term, r)
		term.Quo(term, number(float64(n)))
	}
	return sum
}

// splitLn2 returns ln 2 = hi + lo, where hi has so few bits that its product with a 14-bit number
// is exact.
func splitLn2() (hi, lo float64) {
	scale := math.Ldexp(1, 53-14)
	hi = math.Round(math.Ln2*scale) / scale
	ln2, _ := new(big.Float).SetPrec(precision).SetString("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687")
	rest, _ := new(big.Float).Sub(ln2, number(hi)).Float64()
	return hi, rest
}

// rounder is the constant whose sum with a number has the nearest integer in its low bits. On NEON
// it also contains twice the exponent bias, see scaleByPower.
func (l *lanes) rounder() constant {
	rounder := 0x1.8p52
	if l.isa == neon {
		rounder += 2 * 1023
	}
	return l.value(rounder)
}

// expLimits returns the arguments at which the exponential is zero and infinite.
func (l *lanes) expLimits() (zero, infinite constant) {
	return l.value(-746), l.value(710)
}

// exponentials sets x[i] = e^x[i]. Arguments must lie between the limits or be
// NaN.
func (l *lanes) exponentials(x []vec) {
	if l.isa == avx512 {
		l.exponentialsByTable(x)
		return
	}
	l.exponentialsBySeries(x)
}

// exponentialsByTable takes n as the multiple of 1/8 nearest to x/ln2:
//
//	e^x = 2^⌊n⌋ · 2^(n−⌊n⌋) · e^r,   r = x − n·ln2,   |r| ≤ ln2/16.
//
// One instruction reads the second factor from a table of eight by the low bits of n, and another
// scales by the first factor, rounding n down itself. That saves a third of the multiplications of
// the series.
func (l *lanes) exponentialsByTable(x []vec) {
	used := *l.pool
	defer func() { *l.pool = used }()
	powers, tails := l.powerTables()
	rounder := l.value(0x1.8p49) // leaves eighths in the low bits
	n, p := l.vecs(len(x)), l.vecs(len(x))
	for i := range x {
		l.set(rounder, n[i])
		l.fmaConst(x[i], l.value(math.Log2E), n[i])
	}
	for i := range x {
		l.subConst(n[i], rounder, p[i])
	}
	hi, lo := splitLn2()
	for i := range x {
		l.fnmaConst(p[i], l.value(hi), x[i])
	}
	for i := range x {
		l.fnmaConst(p[i], l.value(lo), x[i])
	}
	q := interpolant(expTail, -math.Ln2/16, math.Ln2/16, 5)
	l.polynomials(append([]float64{1}, q...), x, p)
	for i := range x { // e^r − 1
		l.mul(p[i], x[i], p[i])
	}
	for i := range x { // power·(1 + tail)·(1 + p) without the last product
		l.x86().choose(tails, n[i], x[i])
		l.add(p[i], x[i], p[i])
		l.x86().choose(powers, n[i], x[i])
		l.fma(x[i], p[i], x[i])
	}
	for i := range x {
		l.subConst(n[i], rounder, n[i])
		l.scaleByPower(x[i], n[i], x[i])
	}
}

// powerTables are 2^(j/8) = power·(1 + tail) for j = 0 … 7.
func (l *lanes) powerTables() (powers, tails mem) {
	root := number(2)
	for range 3 {
		root.Sqrt(root)
	}
	var power, tail [8]float64
	exact := number(1)
	for j := range power {
		power[j], _ = exact.Float64()
		rest := new(big.Float).Sub(exact, number(power[j]))
		tail[j], _ = rest.Quo(rest, number(power[j])).Float64()
		exact = new(big.Float).Mul(exact, root)
	}
	return l.table("powers", power), l.table("tails", tail)
}

// exponentialsBySeries takes n as the integer nearest to x/ln2:
//
//	e^x = 2^n · e^r,   r = x − n·ln2,   |r| ≤ ln2/2.
func (l *lanes) exponentialsBySeries(x []vec) {
	used := *l.pool
	defer func() { *l.pool = used }()
	n := l.vecs(len(x))
	l.roundedMultiples(x, n)
	hi, lo := splitLn2()
	p := l.vecs(len(x))
	l.subAll(n, l.rounder(), p) // the bits of n are needed later
	l.fnmaAll(p, l.value(hi), x)
	l.fnmaAll(p, l.value(lo), x)
	if l.isa == neon {
		l.seriesByTwos(x, p)
		p = x
	} else {
		l.polynomials(expCoefficients(), x, p)
	}
	for i := range x {
		l.scaleByPower(p[i], n[i], x[i])
	}
}

// roundedMultiples sets n = x/ln2 + rounder.
func (l *lanes) roundedMultiples(x, n []vec) {
	if l.isa == neon {
		for i := range x {
			l.set(l.rounder(), n[i])
		}
		l.fmaAll(x, l.value(math.Log2E), n)
		return
	}
	for i := range x {
		l.set(l.rounder(), n[i])
		l.fmaConst(x[i], l.value(math.Log2E), n[i])
	}
}

// polynomials sets p[i] = Σ c_k x[i]^k by Horner's rule.
func (l *lanes) polynomials(c []float64, x, p []vec) {
	top := len(c) - 1
	for i := range x {
		l.set(l.value(c[top]), p[i])
	}
	for k := top - 1; k >= 0; k-- {
		for i := range x {
			l.horner(p[i], x[i], l.value(c[k]))
		}
	}
}

// polynomial returns the register that holds Σ c_k x^k: p or, on NEON, another one.
func (l *lanes) polynomial(c []float64, x, p vec) vec {
	if l.isa != neon {
		l.polynomials(c, []vec{x}, []vec{p})
		return p
	}
	spare := l.vec()
	l.scope(func() {
		z := l.vec()
		l.mul(x, x, z)
		p = l.polynomialsByTwos(c, []vec{x}, []vec{z}, []vec{p}, spare)[0]
	})
	return p
}

// seriesByTwos sets x = 1 + (x + x²·q(x)) ≈ e^x on NEON. It overwrites p.
func (l *lanes) seriesByTwos(x, p []vec) {
	l.scope(func() {
		spare, z := l.vec(), l.vecs(len(x))
		for i := range x {
			l.mul(x[i], x[i], z[i])
		}
		p = l.polynomialsByTwos(expCoefficients()[2:], x, z, p, spare)
		for i := range x {
			l.fma(z[i], p[i], x[i])
		}
		l.addAll(x, l.value(1), x)
	})
}

// polynomialsByTwos returns the registers that hold Σ c_k x[i]^k, given z[i] = x[i]²: those of p
// and the spare one, in some order. A NEON multiply-add overwrites the addend, so Horner's rule
// needs a copy of each constant. The scheme
//
//	p = (c_k + c_k+1·x) + z·p,
//
// needs one copy for two constants, straight from memory, and its dependency chain is half as long.
func (l *lanes) polynomialsByTwos(c []float64, x, z, p []vec, spare vec) []vec {
	p = append([]vec(nil), p...)
	k := len(c) - 2 - len(c)%2
	l.pairs(c[k:], x, p)
	if len(c)%2 == 1 {
		l.fmaAll(z, l.value(c[k+2]), p)
	}
	for k -= 2; k >= 0; k -= 2 {
		l.scope(func() {
			odd := l.vec()
			l.set(l.value(c[k+1]), odd)
			for i := range x {
				l.set(l.value(c[k]), spare)
				l.fma(x[i], odd, spare)
				l.fma(z[i], p[i], spare)
				p[i], spare = spare, p[i]
			}
		})
	}
	return p
}

// pairs sets p = c_0 + c_1·x.
func (l *lanes) pairs(c []float64, x, p []vec) {
	for i := range x {
		l.set(l.value(c[0]), p[i])
	}
	l.fmaAll(x, l.value(c[1]), p)
}

// scaleByPower sets dst = p·2^n. In AVX-512 n is an integer; otherwise it includes the rounder, and
// the power is applied in two halves, each a normal number.
func (l *lanes) scaleByPower(p, n, dst vec) {
	l.scope(func() {
		switch l.isa {
		case avx512:
			l.x86().scale(p, n, dst)
		case avx2:
			l.x86().multiplyByHalves(p, n, dst, l.at(l.value(1)))
		case neon:
			l.arm().multiplyByHalves(p, n, dst)
		}
	})
}
