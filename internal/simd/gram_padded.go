package simd

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
)

// Padded is a matrix that the micro-kernel can read in whole groups: rows are aligned to cache
// lines, and rows and columns are padded to whole groups of [Lanes]. The zero value has no rows;
// Reset sets the shape. It is meant as scratch memory and keeps its largest size.
type Padded struct {
	rows, cols, stride int
	data               []float64
}

// Reset makes m a rows×cols matrix. Its entries and its padding are undefined.
func (m *Padded) Reset(rows, cols int) {
	m.rows, m.cols = rows, cols
	m.stride = paddedStride(cols)
	if n := wholeGroups(rows) * m.stride; cap(m.data) < n {
		m.data = aligned(n)
	} else {
		m.data = m.data[:n]
	}
}

// wholeGroups returns n rounded up to whole groups.
func wholeGroups(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

// paddedStride returns an odd number of groups: rows a power of two apart would compete for the
// same cache lines when a column is read.
func paddedStride(cols int) int { return wholeGroups(cols)/Lanes*Lanes | Lanes }

// Rows returns the number of rows, without padding.
func (m *Padded) Rows() int { return m.rows }

// Cols returns the number of columns, without padding.
func (m *Padded) Cols() int { return m.cols }

// SetRow copies src, of at most m.Cols() numbers, to row i from column j on, and clears the rest of
// the row with its padding.
func (m *Padded) SetRow(i, j int, src []float64) {
	dst := m.padded(i)
	clear(dst[:j])
	clear(dst[j+copy(dst[j:], src):])
}

// padded returns row i with its padding.
func (m *Padded) padded(i int) []float64 { return m.data[i*m.stride:][:m.stride] }

// Row returns row i, sharing memory.
func (m *Padded) Row(i int) []float64 { return m.data[i*m.stride:][:m.cols] }

// General returns m without its padding, sharing memory.
func (m *Padded) General() blas64.General {
	return blas64.General{Rows: m.rows, Cols: m.cols, Stride: m.stride, Data: m.data}
}

// at returns the address of an entry, which may lie in the padding.
func (m *Padded) at(i, j int) unsafe.Pointer { return unsafe.Pointer(&m.data[i*m.stride+j]) }

// rowBytes returns the distance between two rows.
func (m *Padded) rowBytes() uintptr { return uintptr(m.stride) * 8 }

// Slice returns the rows from ≤ i < to of m, sharing memory. It panics unless
// 0 ≤ from ≤ to ≤ m.Rows().
func (m *Padded) Slice(from, to int) Padded {
	if from < 0 || to < from || to > m.rows {
		panic(fmt.Sprintf("simd: rows [%d:%d] of %d", from, to, m.rows))
	}
	return Padded{rows: to - from, cols: m.cols, stride: m.stride, data: m.data[from*m.stride : to*m.stride]}
}
