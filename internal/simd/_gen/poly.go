package main

import (
	"math"
	"math/big"
)

// precision is the precision, in bits, of the computation of coefficients.
const precision = 400

func number(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

// interpolant returns the coefficients, constant first, of the polynomial of the given degree that
// agrees with f at the Chebyshev nodes of [lo, hi]. Its maximal error is within a small factor of
// the best possible.
func interpolant(f func(x *big.Float) *big.Float, lo, hi float64, degree int) []float64 {
	n := degree + 1
	x, y := make([]*big.Float, n), make([]*big.Float, n)
	for i := range n {
		node := math.Cos(math.Pi * (float64(i) + 0.5) / float64(n))
		x[i] = number(lo + (hi-lo)*(1+node)/2)
		y[i] = f(x[i])
	}
	return coefficients(x, dividedDifferences(x, y))
}

// dividedDifferences turns the values y at x into the coefficients of Newton's form.
func dividedDifferences(x, y []*big.Float) []*big.Float {
	for k := 1; k < len(x); k++ {
		for i := len(x) - 1; i >= k; i-- {
			step := new(big.Float).Sub(x[i], x[i-k])
			y[i] = new(big.Float).Sub(y[i], y[i-1])
			y[i].Quo(y[i], step)
		}
	}
	return y
}

// coefficients expands Newton's form into powers of x.
func coefficients(x, newton []*big.Float) []float64 {
	n := len(x)
	p := []*big.Float{newton[n-1]}
	for i := n - 2; i >= 0; i-- { // p = p·(x − x_i) + newton_i
		next := append([]*big.Float{number(0)}, p...)
		for k, c := range p {
			next[k] = new(big.Float).Sub(next[k], new(big.Float).Mul(c, x[i]))
		}
		next[0].Add(next[0], newton[i])
		p = next
	}
	out := make([]float64, n)
	for k, c := range p {
		out[k], _ = c.Float64()
	}
	return out
}
