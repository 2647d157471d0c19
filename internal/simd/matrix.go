package simd

import "gonum.org/v1/gonum/blas/blas64"

// Float is the type of an element.
type Float interface{ float32 | float64 }

// Matrix is a row-major matrix. Matrix[float64] and blas64.General convert to
// each other.
type Matrix[T Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// row returns row i of m, without copying.
func (m Matrix[T]) row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// Row returns row i of a row-major matrix, without copying.
func Row(m blas64.General, i int) []float64 { return Matrix[float64](m).row(i) }
