package simd

import (
	"math"
	"math/big"
)

// The exponential by table: x = n·ln2/128 + r with |r| ≤ ln2/256, so
//
//	e^x = 2^(n div 128) · 2^((n mod 128)/128) · e^r.
//
// The first factor is added to the exponent. The second comes from a table of 128 values in doubled
// precision, and the third from its series to r⁵ (the next term is below 6e-19). The sum "table +
// table·(e^r − 1)" is rounded once at full size, which leaves an error of about 0.51 ulp.
const (
	tableSize = 128
	perLn2    = tableSize / math.Ln2
	// ln2Hi has 33 significant bits: n·ln2Hi is exact for |n| < 2^20.
	ln2Hi = 0x1.62e42fefp-8
	ln2Lo = math.Ln2/tableSize - ln2Hi
	// Adding rounder to a number below 2^51 leaves the nearest integer in the
	// low bits of the sum.
	rounder = 0x1.8p52
	// Within ±expBound every factor and the result are normal numbers.
	expBound = 708.0
)

// tablePower is 2^(j/tableSize) = hi·(1 + tail), hi as its bits.
type tablePower struct {
	hi   uint64
	tail float64
}

var powers = newPowers()

// newPowers computes the table by square roots and products in 200-bit precision.
func newPowers() (t [tableSize]tablePower) {
	root := big.NewFloat(2).SetPrec(200)
	for n := 1; n < tableSize; n *= 2 {
		root.Sqrt(root)
	}
	v := big.NewFloat(1).SetPrec(200)
	var exact, rest big.Float
	for j := range t {
		hi, _ := v.Float64()
		exact.SetFloat64(hi)
		rest.Sub(v, &exact)
		tail, _ := rest.Quo(&rest, &exact).Float64()
		t[j] = tablePower{math.Float64bits(hi), tail}
		v.Mul(v, root)
	}
	return t
}

// expOf returns e^x.
func expOf(x float64) float64 {
	if !(x > -expBound && x < expBound) {
		return expFar(x)
	}
	hi, e, n := expParts(x)
	scale := math.Float64frombits(hi + n<<52)
	return scale + scale*e
}

// expParts returns the bits of h, and e and n, with e^x = 2^n·h·(1 + e), for |x| < 1000.
func expParts(x float64) (h uint64, e float64, n uint64) {
	shifted := float64(x*perLn2) + rounder
	k := shifted - rounder
	r := x - float64(k*ln2Hi) - float64(k*ln2Lo)
	bits := math.Float64bits(shifted)
	j := bits % tableSize
	t := &powers[j]
	r2 := r * r
	e = t.tail + r + r2*(0.5+r*(1.0/6)+r2*(1.0/24+r*(1.0/120)))
	// The low bits of bits−j are 128·n; the later shift by 52 discards the high bits of the
	// rounder.
	return t.hi, e, (bits - j) / tableSize
}

// expFar handles NaN and arguments whose exponential over- or underflows, or nearly does.
func expFar(x float64) float64 {
	switch {
	case x < -746:
		return 0
	case x > 710:
		return math.Inf(1)
	case x != x:
		return x
	}
	hi, e, n := expParts(x)
	h := math.Float64frombits(hi)
	return math.Ldexp(h+h*e, int(int16(n)))
}
