package simd

import "gonum.org/v1/gonum/blas/blas64"

// Row returns row i of a row-major matrix, without copying.
func Row(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}
