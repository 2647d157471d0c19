// Package matrix allocates, slices and copies dense matrices. All other packages address rows
// through it.
//
// A matrix is a [blas64.General]: entry (i, j) is at Data[i·Stride + j], and Stride is at least
// max(1, Cols). Entries between Cols and Stride are not part of the matrix; this package neither
// reads nor writes them. Data may end with the last entry of the last row, and a matrix without
// entries may have no data. Submatrices share memory with the whole, copies do not.
//
// Nothing here starts a goroutine. Algebra is in internal/linalg/dense, and scans of long slices
// are in internal/simd.
package matrix

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// New allocates a contiguous rows×cols matrix of zeros.
func New(rows, cols int) blas64.General { return Of(make([]float64, rows*cols), rows, cols) }

// Of returns the contiguous rows×cols matrix at the start of data, sharing its memory. It panics if
// data is shorter than rows·cols.
func Of(data []float64, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data[:rows*cols]}
}

// Reuse returns a contiguous rows×cols matrix in the memory of *buf, which it reallocates if it is
// too small. The entries are undefined.
func Reuse(buf *[]float64, rows, cols int) blas64.General {
	if cap(*buf) < rows*cols {
		*buf = make([]float64, rows*cols)
	}
	return Of(*buf, rows, cols)
}

// Row returns row i of m, sharing its memory; nil if m has no columns.
func Row(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// Column returns a copy of column k of m.
func Column(m blas64.General, k int) []float64 {
	v := make([]float64, m.Rows)
	for i := range v {
		v[i] = m.Data[i*m.Stride+k]
	}
	return v
}

// Rows returns rows first to first+n−1 of m, sharing memory. It panics if m does not have them.
func Rows(m blas64.General, first, n int) blas64.General {
	if first < 0 || n < 0 || first > m.Rows-n {
		panic(fmt.Sprintf("matrix: %d rows from row %d on of %d", n, first, m.Rows))
	}
	s := blas64.General{Rows: n, Cols: m.Cols, Stride: m.Stride}
	if n > 0 && m.Cols > 0 {
		s.Data = m.Data[first*m.Stride : (first+n-1)*m.Stride+m.Cols]
	}
	return s
}

// Columns returns columns first to first+n−1 of m, sharing memory.
func Columns(m blas64.General, first, n int) blas64.General {
	return Block(m, 0, first, m.Rows, n)
}

// Block returns the rows×cols submatrix of m whose first entry is (i, j), sharing memory.
func Block(m blas64.General, i, j, rows, cols int) blas64.General {
	at := i*m.Stride + j
	if rows == 0 || cols == 0 {
		at = min(at, len(m.Data)) // an empty submatrix may begin after the data
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: m.Stride, Data: m.Data[at:]}
}

// Clone returns a contiguous copy of m.
func Clone(m blas64.General) blas64.General {
	c := New(m.Rows, m.Cols)
	Copy(c, m)
	return c
}

// Copy copies src to the first rows of dst, which has the same columns and at least as many rows.
func Copy(dst, src blas64.General) {
	for i := range src.Rows {
		copy(Row(dst, i), Row(src, i))
	}
}

// Transpose returns a contiguous copy of mᵀ.
func Transpose(m blas64.General) blas64.General {
	t := New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range Row(m, i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

// Clear sets all entries to 0.
func Clear(m blas64.General) {
	for i := range m.Rows {
		clear(Row(m, i))
	}
}

// Axpy sets y = a·x + y. Both have the same length.
func Axpy(a float64, x, y []float64) {
	blas64.Axpy(a, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// Numbers returns 0, 1, …, n−1.
func Numbers(n int) []int64 {
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	return numbers
}
