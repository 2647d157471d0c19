package simd

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// Lanes is the granularity of [Packed]: rows are stored in groups of this many,
// and [Packed.Slice] cuts between groups only.
const Lanes = 4

// Packed is a matrix whose rows were rearranged once to be the column side of
// many tiles. Groups of [Lanes] rows are interleaved, so that one step along
// the columns reads neighbouring memory; the last group is filled up with zero
// rows. It is read-only and safe for use by several goroutines.
type Packed struct {
	rows, cols int
	data       [][Lanes]float64
}

// Pack copies the rows of m into packed form: 8·cols·(rows rounded up to a
// multiple of Lanes) bytes.
func Pack(m blas64.General) Packed {
	p := Packed{rows: m.Rows, cols: m.Cols}
	groups := (m.Rows + Lanes - 1) / Lanes
	p.data = make([][Lanes]float64, groups*m.Cols)
	for i := range m.Rows {
		group := p.group(i / Lanes)
		for k, v := range Row(m, i) {
			group[k][i%Lanes] = v
		}
	}
	return p
}

// Rows is the number of rows that were packed.
func (p Packed) Rows() int { return p.rows }

// Cols is the length of a row.
func (p Packed) Cols() int { return p.cols }

// Slice returns the rows from ≤ i < to, sharing memory with p. It panics unless
// from is a multiple of [Lanes] and 0 ≤ from ≤ to ≤ p.Rows().
func (p Packed) Slice(from, to int) Packed {
	if from < 0 || from%Lanes != 0 || to < from || to > p.rows {
		panic(fmt.Sprintf("simd: slice [%d:%d] of %d packed rows", from, to, p.rows))
	}
	return Packed{rows: to - from, cols: p.cols, data: p.data[from/Lanes*p.cols:]}
}

// group returns the interleaved rows Lanes·g … Lanes·g+Lanes-1, one array for
// each column.
func (p Packed) group(g int) [][Lanes]float64 {
	return p.data[g*p.cols : (g+1)*p.cols]
}

// copyRow writes row j of p into dst, which has length p.Cols().
func (p Packed) copyRow(dst []float64, j int) {
	for k, column := range p.group(j / Lanes) {
		dst[k] = column[j%Lanes]
	}
}

// Row returns row i of a row-major matrix, without copying.
func Row(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}
