package sketch

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
)

// Where products of matrices (see cholesky.go) are not accurate, or not faster,
// R factors come from one operation: stack some rows that are dense or already
// triangular, and reduce the stack to triangular form by Householder
// reflections. Most of a triangle is zero, and reflecting zeros costs as much
// as reflecting numbers. So the rows are put in an order in which the part that
// may be nonzero is a staircase: the first columns reach down only a little,
// later columns reach further. A dense block goes on top of a triangle; two
// triangles are interleaved row by row. (The order of the rows does not change
// R beyond rounding.) Each panel of columns is then reduced within its own
// height.

// panelCols is the number of columns reduced together. gonum applies so few
// reflectors one after another, without a work matrix and without goroutines;
// measured, that is as fast at 50 columns as its blocked code and faster at 200.
// From wideCols columns on that do not stay in a cache, those to the right of a panel of
// widePanelCols are multiplied by all its reflectors at once.
const (
	panelCols     = 16
	widePanelCols = 32
	wideCols      = 256
)

// scratch is the working memory of one reduction. Accumulators borrow it for
// the time of a call, so that the many partial accumulators of a pass hold no
// more than their results.
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

// triangularise overwrites the upper triangle of a with its R factor; what is
// below it is left undefined. No entry in the first j columns at row height(j)
// or below may be other than zero, and height(j) ≥ min(j, a.Rows).
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

// workLength returns enough for Geqrf and Ormqr on panels of a matrix of so many
// columns; Ormqr wants at least one number for each column it is applied to.
func workLength(cols int) int { return max(widePanelCols*widePanelCols, cols) }

// reflect returns the upper triangle, in the memory of s, of the R factor of the
// stack of block and the upper trapezoidal r. Diagonal entries are not negative.
func (s *scratch) reflect(block blas64.General, r triangle) blas64.General {
	a := matrix.Reuse(&s.stack, block.Rows+r.rows, block.Cols)
	for i := range block.Rows {
		copy(matrix.Row(a, i), matrix.Row(block, i))
	}
	for i := range r.rows {
		r.rowInto(matrix.Row(a, block.Rows+i), i)
	}
	s.triangularise(a, func(cols int) int { return block.Rows + min(cols, r.rows) })
	turnRows(a)
	return a
}

// interleaved returns the upper triangle, in the memory of s, of the R factor of
// the stack of a and b. It has as many columns as the wider
// of them, and no negative diagonal entry.
func (s *scratch) interleaved(a, b triangle) blas64.General {
	m := matrix.Reuse(&s.stack, a.rows+b.rows, max(a.cols, b.cols))
	interleave(m, a, b)
	s.triangularise(m, func(cols int) int { return min(cols, a.rows) + min(cols, b.rows) })
	turnRows(m)
	return m
}

// interleave fills dst with the rows of a and b, row
// about, the surplus rows of the longer one at the end: a staircase whose first j
// columns are min(j, a.rows) + min(j, b.rows) high. A triangle narrower than dst is
// continued with zeros.
func interleave(dst blas64.General, a, b triangle) {
	at := 0
	for i := range max(a.rows, b.rows) {
		for _, t := range [2]triangle{a, b} {
			if i < t.rows {
				t.rowInto(matrix.Row(dst, at), i)
				at++
			}
		}
	}
}

// upperInto fills r, whose columns are as many as those of a, with the upper
// triangle of a and zeros.
func upperInto(r, a blas64.General) {
	matrix.Clear(r)
	for i := range min(r.Rows, a.Rows, a.Cols) {
		copy(matrix.Row(r, i)[i:], matrix.Row(a, i)[i:])
	}
}

// turnRows turns rows of the upper triangle of a round so that no diagonal entry
// is negative: the canonical form, since an R factor is unique only up to the
// signs of its rows.
func turnRows(a blas64.General) {
	for i := range min(a.Rows, a.Cols) {
		if r := matrix.Row(a, i)[i:]; r[0] < 0 {
			blas64.Scal(-1, blas64.Vector{N: len(r), Inc: 1, Data: r})
		}
	}
}
