package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// newMatrix returns a zero matrix.
func newMatrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float64, rows*cols)}
}

// row returns row i of m.
func row(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// view returns the rows×cols part of m whose first entry is (i, j). Without rows it has
// no data: those of a part of wider rows end before the place of the next.
func view(m blas64.General, i, j, rows, cols int) blas64.General {
	if rows == 0 {
		return blas64.General{Cols: cols, Stride: m.Stride}
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: m.Stride, Data: m.Data[i*m.Stride+j:]}
}

// clone returns a copy of m without padding.
func clone(m blas64.General) blas64.General {
	c := newMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(row(c, i), row(m, i))
	}
	return c
}

// clearRows sets m to zero.
func clearRows(m blas64.General) {
	for i := range m.Rows {
		clear(row(m, i))
	}
}

// axpy adds a·x to y.
func axpy(a float64, x, y []float64) {
	blas64.Axpy(a, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// checkShape panics unless m is rows×cols.
func checkShape(what string, m blas64.General, rows, cols int) {
	if m.Rows != rows || m.Cols != cols {
		panic(fmt.Sprintf("sketch: %s is %d×%d, want %d×%d", what, m.Rows, m.Cols, rows, cols))
	}
}
