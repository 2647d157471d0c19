package main

import (
	"math"
	"math/big"

	"github.com/mmcloughlin/avo/operand"
)

// expDegree is the degree of the polynomial for e^r on |r| ≤ ln2/2; its error is
// below a tenth of the last place.
func (l *lanes) expDegree() int {
	if l.single {
		return 6
	}
	return 11
}

// expCoefficients are those of e^r ≈ 1 + r + r²·q(r), constant first.
func (l *lanes) expCoefficients() []float64 {
	q := interpolant(expTail, -math.Ln2/2, math.Ln2/2, l.expDegree()-2)
	return append([]float64{1, 1}, q...)
}

// expTail is (e^r − 1 − r)/r² by its series.
func expTail(r *big.Float) *big.Float {
	sum, term := number(0), number(0.5)
	for n := 3; n < 60; n++ {
		sum.Add(sum, term)
		term = new(big.Float).Mul(term, r)
		term.Quo(term, number(float64(n)))
	}
	return sum
}

// split gives ln 2 = hi + lo, hi with so few bits that its product with a number
// of 14 bits is exact (9 bits in float32).
func (l *lanes) splitLn2() (hi, lo float64) {
	bits := 53 - 14
	if l.single {
		bits = 24 - 9
	}
	scale := math.Ldexp(1, bits)
	hi = math.Round(math.Ln2*scale) / scale
	ln2, _ := new(big.Float).SetPrec(precision).SetString("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687")
	rest, _ := new(big.Float).Sub(ln2, number(hi)).Float64()
	return hi, rest
}

// rounder is what makes a sum hold the nearest integer in its low bits.
func (l *lanes) rounder() constant {
	if l.single {
		return l.value(0x1.8p23)
	}
	return l.value(0x1.8p52)
}

// expLimits are where the exponential has become zero, and infinite.
func (l *lanes) expLimits() (zero, infinite constant) {
	if l.single {
		return l.value(-104), l.value(89)
	}
	return l.value(-746), l.value(710)
}

// exponentials sets x[i] = e^x[i]. Arguments must lie between the limits or be
// NaN.
func (l *lanes) exponentials(x []vec) {
	if l.isa == avx512 && !l.single {
		l.exponentialsByTable(x)
		return
	}
	l.exponentialsBySeries(x)
}

// exponentialsByTable takes n as the multiple of 1/8 nearest to x/ln2:
//
//	e^x = 2^⌊n⌋ · 2^(n−⌊n⌋) · e^r,   r = x − n·ln2,   |r| ≤ ln2/16,
//
// the second factor from a table of eight that one instruction reads by the low
// bits of n, the first by an instruction that rounds n down itself. A third of
// the multiplications of the series alone go.
func (l *lanes) exponentialsByTable(x []vec) {
	used := l.used
	defer func() { l.used = used }()
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
	hi, lo := l.splitLn2()
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
		l.VPERMPD(tails, n[i], x[i])
		l.add(p[i], x[i], p[i])
		l.VPERMPD(powers, n[i], x[i])
		l.fma(x[i], p[i], x[i])
	}
	for i := range x {
		l.subConst(n[i], rounder, n[i])
		l.VSCALEFPD(n[i], x[i], x[i])
	}
}

// powerTables are 2^(j/8) = power·(1 + tail) for j = 0 … 7.
func (l *lanes) powerTables() (powers, tails operand.Mem) {
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
	used := l.used
	defer func() { l.used = used }()
	n := l.vecs(len(x))
	for i := range x { // n = x/ln2 + rounder
		l.set(l.rounder(), n[i])
		l.fmaConst(x[i], l.value(math.Log2E), n[i])
	}
	hi, lo := l.splitLn2()
	p := l.vecs(len(x))
	whole := n
	if l.isa == avx2 { // the bits of n are needed later
		whole = p
	}
	for i := range x {
		l.subConst(n[i], l.rounder(), whole[i])
	}
	for i := range x {
		l.fnmaConst(whole[i], l.value(hi), x[i])
	}
	for i := range x {
		l.fnmaConst(whole[i], l.value(lo), x[i])
	}
	l.polynomials(l.expCoefficients(), x, p)
	for i := range x {
		l.scaleByPower(p[i], n[i], x[i])
	}
}

// polynomials sets p[i] = Σ c_k x[i]^k.
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

// scaleByPower sets dst = p·2^n. In AVX-512 n is a whole number; in AVX2 it is
// one plus the rounder, and the power is multiplied in two halves, each of
// which is a normal number.
func (l *lanes) scaleByPower(p, n, dst vec) {
	if l.isa == avx512 {
		l.pick(l.VSCALEFPD, l.VSCALEFPS)(n, p, dst)
		return
	}
	used := l.used
	defer func() { l.used = used }()
	e, half := l.vec(), l.vec()
	shift := operand.U8(23)
	if l.single {
		l.subInt(n, l.at(l.rounder()), e)
	} else { // the integer into the high half of the lane
		l.VPSLLQ(operand.U8(32), n, e)
		shift = 20
	}
	l.VPSRAD(operand.U8(1), e, half)
	l.VPSLLD(shift, half, half)
	l.VPSLLD(shift, e, e)
	l.subInt(e, half, e)
	for _, power := range []vec{half, e} { // products, so that NaN stays NaN
		l.VPADDD(l.at(l.value(1)), power, power)
		l.mul(p, power, p)
	}
	l.move(p, dst)
}

// subInt is dst = a − b in integers of 32 bits.
func (l *lanes) subInt(a vec, b operand.Op, dst vec) { l.VPSUBD(b, a, dst) }
