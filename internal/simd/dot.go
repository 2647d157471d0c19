package simd

import (
	"fmt"
	"math"
)

// Dot returns the inner product of x and y, with the same bits and the same
// care for overflow as an entry of [Fill]. It panics unless the lengths
// agree.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic(fmt.Sprintf("simd: inner product of lengths %d and %d", len(x), len(y)))
	}
	s := dot(x, y)
	if overflowed(s) {
		s = scaledDot(x, y)
	}
	return s
}

// dot adds in order, with or without rounding the products as the path does.
func dot(x, y []float64) (s float64) {
	if active == Go {
		for k, a := range x {
			s += float64(a * y[k])
		}
		return s
	}
	for k, a := range x {
		s = math.FMA(a, y[k], s)
	}
	return s
}
