package simd

import "fmt"

// dot is the implementation in use.
var dot = dotGo

// Dot returns the inner product of x and y, with the same bits and the same
// care for overflow as an entry of [Products]. It panics unless the lengths
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
