package simd

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
)

// groupBytes is the size of one step of a group of packed rows: a vector
// register of AVX-512, two of AVX2, four of NEON, and a line of the cache on x86.
const groupBytes = 64

// Lanes is the granularity of [Packed] in float64: rows are stored in groups of
// this many, and Slice cuts between groups only.
const Lanes = groupBytes / 8

// Packed is a matrix of float64 whose rows were rearranged once to be the
// column side of many tiles.
type Packed = PackedRows[float64]

// PackedRows is a matrix whose rows were rearranged once to be the column side
// of many tiles. Groups of 64 bytes' worth of rows are interleaved, so that one
// step along the columns reads a line of the cache; the last group is filled up
// with zero rows. It is read-only and safe for use by several goroutines.
type PackedRows[T Float] struct {
	rows, cols int
	data       []T // by group, by column, by row
}

// Pack returns [PackRows] of a matrix of float64.
func Pack(m blas64.General) Packed { return PackRows(Matrix[float64](m)) }

// PackRows copies the rows of m into packed form: 64·cols bytes for each group.
func PackRows[T Float](m Matrix[T]) PackedRows[T] {
	p := PackedRows[T]{rows: m.Rows, cols: m.Cols}
	n := p.lanes()
	p.data = aligned[T]((m.Rows + n - 1) / n * n * m.Cols)
	for i := range m.Rows {
		group := p.group(i / n)
		for k, v := range m.row(i) {
			group[k*n+i%n] = v
		}
	}
	return p
}

// aligned returns a slice that begins at a line of the cache.
func aligned[T Float](n int) []T {
	var e T
	size := int(unsafe.Sizeof(e))
	data := make([]T, n+groupBytes/size)
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(data))) % groupBytes / uintptr(size))
	first := (groupBytes/size - past) % (groupBytes / size)
	return data[first : first+n : first+n]
}

// lanes returns the number of rows in a group.
func (p PackedRows[T]) lanes() int {
	var e T
	return groupBytes / int(unsafe.Sizeof(e))
}

// Rows returns the number of rows that were packed.
func (p PackedRows[T]) Rows() int { return p.rows }

// Cols returns the length of a row.
func (p PackedRows[T]) Cols() int { return p.cols }

// Slice returns the rows from ≤ i < to, sharing memory with p. It panics unless
// from is a multiple of the rows in a group ([Lanes] in float64) and
// 0 ≤ from ≤ to ≤ p.Rows().
func (p PackedRows[T]) Slice(from, to int) PackedRows[T] {
	if from < 0 || from%p.lanes() != 0 || to < from || to > p.rows {
		panic(fmt.Sprintf("simd: slice [%d:%d] of %d packed rows", from, to, p.rows))
	}
	return PackedRows[T]{rows: to - from, cols: p.cols, data: p.data[from*p.cols:]}
}

// group returns the interleaved rows of group g, the lanes of one column after
// those of the other.
func (p PackedRows[T]) group(g int) []T {
	size := p.cols * p.lanes()
	return p.data[g*size : (g+1)*size]
}

// copyRow writes row j of p into dst, which has length p.Cols().
func (p PackedRows[T]) copyRow(dst []T, j int) {
	n := p.lanes()
	group := p.group(j / n)
	for k := range dst {
		dst[k] = group[k*n+j%n]
	}
}
