package simd

import "math"

// pow returns x^a for 0 ≤ x ≤ 1 and a > 0. math.Pow loses several digits for a small x or a large
// a; here the logarithm has two parts.
func pow(x, a float64) float64 {
	if x == 0 || x != x {
		return x
	}
	hi, lo := logInTwo(x)
	product := float64(a * hi)
	if product < -746 {
		return 0
	}
	rest := math.FMA(a, hi, -product) + a*lo
	e := expOf(product)
	return math.FMA(e, rest, e)
}

// logInTwo returns log x as the sum of two numbers, with an error of about 2^−100. With x = 2^k·m,
// √½ ≤ m < √2, s = (m−1)/(m+1) and z = s²,
//
//	log x = k·ln2 + 2s + s·z·(2/3 + 2z/5 + 2z²/7 + …).
func logInTwo(x float64) (hi, lo float64) {
	const (
		// ln2 in two parts, the first short enough for exact products with k.
		ln2First  = 0x1.62e42fefa38p-1
		ln2Second = 0x1.ef35793c7673p-45
		twoThirds = 2.0 / 3
	)
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := dividePair(m-1, m+1, m-((m+1)-1))
	z := s.times(s)
	var tail float64
	for n := 27.0; n > 3; n -= 2 {
		tail = tail*z.hi + 2/n
	}
	c := sumOf(twoThirds, z.hi*tail)
	c.lo += 0x1.5555555555555p-55 // 2/3 − twoThirds
	e := s.times(z.times(c))
	sum := sumOf(float64(k)*ln2First, 2*s.hi)
	more := sumOf(sum.hi, e.hi)
	more.lo += sum.lo + 2*s.lo + e.lo + float64(k)*ln2Second
	sum = sumOf(more.hi, more.lo)
	return sum.hi, sum.lo
}

// A pair is a number in two parts: hi, and lo below its rounding error.
type pair struct{ hi, lo float64 }

// sumOf returns a + b for |a| ≥ |b| or a = 0.
func sumOf(a, b float64) pair {
	s := a + b
	return pair{s, (a - s) + b}
}

func (p pair) times(q pair) pair {
	h := p.hi * q.hi
	return pair{h, math.FMA(p.hi, q.hi, -h) + (p.hi*q.lo + p.lo*q.hi)}
}

// dividePair returns f/(d + lost).
func dividePair(f, d, lost float64) pair {
	q := f / d
	return pair{q, (math.FMA(-q, d, f) - float64(q*lost)) / d}
}
