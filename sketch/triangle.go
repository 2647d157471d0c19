package sketch

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
)

// If matrix products (see cholesky.go) are not accurate, or not faster, Householder reflections
// reduce a stack of dense and triangular rows to an R factor. Reflecting the zeros of a triangle
// costs as much as reflecting numbers. So the rows are ordered such that the nonzero part is a
// staircase, in which earlier columns reach down less far than later ones. A dense block goes on
// top of a triangle; two triangles are interleaved row by row. (The order of the rows changes R by
// rounding only.) Each panel of columns is then reduced within its own height.

// panelCols is the number of columns reduced together. gonum applies so few reflectors one at a
// time, without a work matrix and without goroutines. Measured against its blocked code, that is as
// fast at 50 columns and faster at 200. From wideCols columns on, the columns right of a panel
// exceed the cache, and all widePanelCols reflectors are applied to them at once.
const (
	panelCols     = 16
	widePanelCols = 32
	wideCols      = 256
)

// scratch is the working memory of one reduction. Accumulators borrow it for one call, so that the
// many partial accumulators of a pass hold only their results.
type scratch struct {
	stack, product []float64 // matrices
	tau, work      []float64 // for gonum
	rows           []float64 // a block without its marked rows
	unpacked       []float64 // a triangle with its zeros
	cholesky       cholesky
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func borrow() *scratch { return scratches.Get().(*scratch) }

func (s *scratch) giveBack() { scratches.Put(s) }

// triangularise overwrites the upper triangle of a with its R factor; entries below it are then
// undefined. In the first j columns, entries in row height(j) and below must be zero, and height(j)
// ≥ min(j, a.Rows).
func (s *scratch) triangularise(a blas64.General, height func(cols int) int) {
	width := panelCols
	if a.Cols >= wideCols {
		width = widePanelCols
	}
	tau := matrix.Reuse(&s.tau, 1, width).Data
	work := matrix.Reuse(&s.work, 1, workLength(a.Cols)).Data
	k := min(a.Rows, a.Cols)
	for j := 0; j < k; j += width {
		n := min(width, k-j)
		rows := min(height(j+n), a.Rows) - j
		panel := matrix.Block(a, j, j, rows, n)
		lapack64.Geqrf(panel, tau[:n], work, len(work))
		rest := a.Cols - j - n
		if rest == 0 {
			continue
		}
		right := matrix.Block(a, j, j+n, rows, rest)
		if width == panelCols {
			lapack64.Ormqr(blas.Left, blas.Trans, panel, tau[:n], right, work, len(work))
		} else {
			householder.Reflectors{V: panel, Tau: tau[:n]}.ApplyTransposed(right)
		}
	}
}

// workLength returns a sufficient work length of Geqrf and Ormqr for panels of a matrix with cols
// columns. Ormqr needs at least one number per column.
func workLength(cols int) int { return max(widePanelCols*widePanelCols, cols) }

// reduceBlock returns the R factor of the stack of block and the upper trapezoidal r, with no
// negative diagonal entry. The result is in scratch memory.
func (s *scratch) reduceBlock(block blas64.General, r triangle) blas64.General {
	a := matrix.Reuse(&s.stack, block.Rows+r.rows, block.Cols)
	for i := range block.Rows {
		copy(matrix.Row(a, i), matrix.Row(block, i))
	}
	for i := range r.rows {
		r.copyRow(matrix.Row(a, block.Rows+i), i)
	}
	s.triangularise(a, func(cols int) int { return block.Rows + min(cols, r.rows) })
	makeDiagonalPositive(a)
	return a
}

// reduceTriangles returns the R factor of the stack of a and b, with the columns of the wider one
// and no negative diagonal entry. The result is in scratch memory.
func (s *scratch) reduceTriangles(a, b triangle) blas64.General {
	m := matrix.Reuse(&s.stack, a.rows+b.rows, max(a.cols, b.cols))
	interleave(m, a, b)
	s.triangularise(m, func(cols int) int { return min(cols, a.rows) + min(cols, b.rows) })
	makeDiagonalPositive(m)
	return m
}

// interleave fills dst with alternating rows of a and b, then the remaining rows of the longer one.
// In this staircase the first j columns are min(j, a.rows) + min(j, b.rows) high. A triangle
// narrower than dst is padded with zeros.
func interleave(dst blas64.General, a, b triangle) {
	at := 0
	for i := range max(a.rows, b.rows) {
		for _, t := range [2]triangle{a, b} {
			if i < t.rows {
				t.copyRow(matrix.Row(dst, at), i)
				at++
			}
		}
	}
}

// copyUpper fills r with the upper triangle of a, padded with zeros. Both have the same columns.
func copyUpper(r, a blas64.General) {
	matrix.Clear(r)
	for i := range min(r.Rows, a.Rows, a.Cols) {
		copy(matrix.Row(r, i)[i:], matrix.Row(a, i)[i:])
	}
}

// makeDiagonalPositive flips the signs of rows of the upper triangle of a so that no diagonal entry
// is negative. That is the canonical R factor, which is unique only up to the signs of its rows.
func makeDiagonalPositive(a blas64.General) {
	for i := range min(a.Rows, a.Cols) {
		if r := matrix.Row(a, i)[i:]; r[0] < 0 {
			blas64.Scal(-1, blas64.Vector{N: len(r), Inc: 1, Data: r})
		}
	}
}
