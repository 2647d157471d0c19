package simd

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// groupBytes is the size of one step of a group of packed rows: one vector register of AVX-512, two
// of AVX2, four of NEON, and a cache line on x86.
const groupBytes = 64

// Lanes is the granularity of [Packed]: rows are stored in groups of this many, and
// Slice cuts between groups only.
const Lanes = groupBytes / 8

// Packed is a matrix whose rows are rearranged once, to serve as the column side of many tiles.
// Groups of [Lanes] rows are interleaved, so that one step along the columns reads a cache line;
// the last group is padded with zero rows. It is read-only and safe for concurrent use.
type Packed struct {
	rows, cols int
	data       []float64 // by group, by column, by row
}

// Pack returns the rows of m in packed form. Memory: 64·cols bytes per group.
func Pack(m blas64.General) Packed {
	p := Packed{rows: m.Rows, cols: m.Cols}
	p.data = aligned((m.Rows + Lanes - 1) / Lanes * Lanes * m.Cols)
	for i := range m.Rows {
		group := p.group(i / Lanes)
		for k, v := range matrix.Row(m, i) {
			group[k*Lanes+i%Lanes] = v
		}
	}
	return p
}

// aligned returns a slice that begins at a cache line.
func aligned(n int) []float64 {
	data := make([]float64, n+Lanes)
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(data))) % groupBytes / 8)
	first := (Lanes - past) % Lanes
	return data[first : first+n : first+n]
}

// Rows returns the number of rows that were packed.
func (p Packed) Rows() int { return p.rows }

// Cols returns the length of a row.
func (p Packed) Cols() int { return p.cols }

// Slice returns the rows from ≤ i < to, sharing memory. It panics unless from is a multiple of
// [Lanes] and 0 ≤ from ≤ to ≤ p.Rows().
func (p Packed) Slice(from, to int) Packed {
	if from < 0 || from%Lanes != 0 || to < from || to > p.rows {
		panic(fmt.Sprintf("simd: slice [%d:%d] of %d packed rows", from, to, p.rows))
	}
	return Packed{rows: to - from, cols: p.cols, data: p.data[from*p.cols:]}
}

// group returns the interleaved rows of group g: the lanes of one column after those of the
// previous one.
func (p Packed) group(g int) []float64 {
	size := p.cols * Lanes
	return p.data[g*size : (g+1)*size]
}

// copyRow writes row j of p into dst, which has length p.Cols().
func (p Packed) copyRow(dst []float64, j int) {
	group := p.group(j / Lanes)
	for k := range dst {
		dst[k] = group[k*Lanes+j%Lanes]
	}
}
