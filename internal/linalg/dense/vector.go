package dense

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Vector returns x as a blas64.Vector.
func Vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Dot returns xᵀy.
func Dot(x, y []float64) float64 { return blas64.Dot(Vector(x), Vector(y)) }

// Norm returns ‖x‖₂.
func Norm(x []float64) float64 { return blas64.Nrm2(Vector(x)) }

// Sum returns the sum of the entries, added in order.
func Sum(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// Roots returns the square roots of the entries.
func Roots(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Sqrt(v)
	}
	return out
}

// Reciprocals returns the reciprocals of the entries.
func Reciprocals(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = 1 / v
	}
	return out
}

// Pick returns a copy of the entries with the given indices, in that order. It returns nil for nil.
func Pick[I int | int64](x []float64, numbers []I) []float64 {
	if x == nil {
		return nil
	}
	out := make([]float64, len(numbers))
	for i, k := range numbers {
		out[i] = x[k]
	}
	return out
}
