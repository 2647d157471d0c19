// Package matrix lays out dense matrices: it makes them, takes parts of them and copies them. All other packages
// address rows through it.
//
// A matrix is a [blas64.General]: entry (i, j) is at Data[i·Stride + j], and Stride is at least 1 and Cols.
// Entries between Cols and Stride belong to somebody else, such as the matrix that this one is a part of:
// nothing here reads or writes them. Data may end with the last entry of the last row; a matrix without entries
// may have no data at all. Parts share memory with the whole, and copies do not.
//
// Nothing here starts a goroutine. Algebra is in internal/linalg/dense, and scans of long slices are in internal/simd.
package matrix

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// New allocates a rows×cols matrix of zeros, without gaps between its rows.
func New(rows, cols int) blas64.General { return Of(make([]float64, rows*cols), rows, cols) }

// Of returns the rows×cols matrix whose rows follow each other from the start of data, sharing its memory. It
// panics if data has no room for rows·cols numbers.
func Of(data []float64, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data[:rows*cols]}
}

// Reuse returns a rows×cols matrix in the memory of *buf, which it replaces if it is too small. The entries may be anything.
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

// Rows returns the n×m.Cols matrix of rows first to first+n−1 of m, sharing its memory. It panics if m has no such rows.
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

// Columns returns the m.Rows×n matrix of columns first to first+n−1 of m, sharing its memory.
func Columns(m blas64.General, first, n int) blas64.General {
	return Block(m, 0, first, m.Rows, n)
}

// Block returns the rows×cols part of m whose first entry is (i, j), sharing its memory.
func Block(m blas64.General, i, j, rows, cols int) blas64.General {
	at := i*m.Stride + j
	if rows == 0 || cols == 0 {
		at = min(at, len(m.Data)) // the place of an empty part may be beyond the data
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: m.Stride, Data: m.Data[at:]}
}

// Clone returns a copy of m without gaps between its rows.
func Clone(m blas64.General) blas64.General {
	c := New(m.Rows, m.Cols)
	Copy(c, m)
	return c
}

// Copy copies all rows of src into the first rows of dst, which has as many columns and at least as many rows.
func Copy(dst, src blas64.General) {
	for i := range src.Rows {
		copy(Row(dst, i), Row(src, i))
	}
}

// Transpose returns a copy of mᵀ without gaps between its rows.
func Transpose(m blas64.General) blas64.General {
	t := New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range Row(m, i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

// Clear makes all entries 0.
func Clear(m blas64.General) {
	for i := range m.Rows {
		clear(Row(m, i))
	}
}

// Axpy adds a·x to y, which is as long.
func Axpy(a float64, x, y []float64) {
	blas64.Axpy(a, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// Numbers returns 0, 1, …, n−1: the numbers of all rows of a matrix or of a source of n rows.
func Numbers(n int) []int64 {
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	return numbers
}
