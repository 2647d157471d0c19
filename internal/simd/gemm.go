package simd

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// The matrix product is blocked as in Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication" (2008). The sides are exchanged, since rows of op(B) fill the vectors: a panel of
// op(B) that stays in the second-level cache is multiplied by strips of rows of op(A).
//
// Every entry of C is one chain of multiply-adds
//
//	c ← β·c;  c ← c + (α·a_ik)·b_kj  for k = 0, 1, …
//
// wherever the blocks are cut: between two panels it is stored in C, at full precision. So the bits
// depend neither on block sizes nor on how C is divided between threads. Whether an operand is
// copied or read in place affects only speed.

// Gemm computes C = alpha·op(A)·op(B) + beta·C on one thread, where op is the matrix or its
// transpose. With beta = 0, C is overwritten whatever it holds; with alpha = 0, A and B are not
// read. NaN and infinities propagate as in the sums: no multiplication by zero is skipped. Cost:
// 2·m·n·k operations; it allocates nothing once its buffers exist. It panics if the shapes do not
// fit or a slice is too short. C must not overlap A or B.
func Gemm(ta, tb blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	GemmThreads(1, ta, tb, alpha, a, b, beta, c)
}

// GemmThreads is [Gemm] on at most threads threads, at least one; small products use fewer. The
// bits do not depend on the number.
func GemmThreads(threads int, ta, tb blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	g := gemm{alpha: alpha, a: operandOf("A", ta, a), b: operandOf("B", tb, b),
		beta: beta, c: operandOf("C", blas.NoTrans, c)}
	if g.a.cols != g.b.rows || g.c.rows != g.a.rows || g.c.cols != g.b.cols {
		panic(fmt.Sprintf("simd: product of %d×%d and %d×%d into %d×%d",
			g.a.rows, g.a.cols, g.b.rows, g.b.cols, g.c.rows, g.c.cols))
	}
	if threads = g.threadsFor(threads); threads > 1 {
		g.divide(threads)
		return
	}
	g.run()
}

// gemm is a product C = alpha·A·B + beta·C, with transpositions already applied to the operands.
type gemm struct {
	alpha float64
	a, b  operand
	beta  float64
	c     operand
}

// run computes the product on the calling goroutine.
func (g *gemm) run() {
	if g.c.rows == 0 || g.c.cols == 0 {
		return
	}
	none := g.a.cols == 0 || g.alpha == 0
	if g.beta != 1 && (g.beta != 0 || none) {
		g.scale()
	}
	if none {
		return
	}
	w := takeWorkspace()
	width := evenPiece(g.c.cols, panelCols)
	for j := 0; j < g.c.cols; j += width {
		g.runColumns(w, j, min(width, g.c.cols-j))
	}
	w.giveBack()
}

// runColumns computes columns j to j+cols-1 of C, panel by panel.
func (g *gemm) runColumns(w *workspace, j, cols int) {
	height := evenPiece(g.b.rows, panelSteps)
	for k := 0; k < g.b.rows; {
		p := g.panel(w, k, j, min(height, g.b.rows-k), cols)
		p.add = k > 0 || g.beta != 0
		g.runPanel(w, p, k, j)
		k += p.steps
	}
}

// runPanel multiplies all rows of A by the panel at row k and column j of B.
func (g *gemm) runPanel(w *workspace, p panel, k, j int) {
	rows := g.a.rows
	copied := g.copiesA()
	if copied {
		rows = stripRows
	}
	for i := 0; i < g.a.rows; i += rows {
		x := g.a.block(i, k, min(rows, g.a.rows-i), p.steps)
		if copied {
			x = copyStrip(w, x, g.alpha)
		}
		p.multiply(g.c.block(i, j, x.rows, p.cols), x)
	}
}

// scale sets C = beta·C, and zero if beta is 0.
func (g *gemm) scale() {
	for i := range g.c.rows {
		row := g.c.data[i*g.c.row:][:g.c.cols]
		if g.beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= g.beta
		}
	}
}

// evenPiece divides n into the fewest pieces of at most most, and returns their common size,
// rounded up to tiles.
func evenPiece(n, most int) int {
	pieces := (n + most - 1) / most
	return min(most, ((n+pieces-1)/pieces+23)/24*24)
}

// An operand is a matrix with arbitrary strides, in elements. Transposition exchanges them.
type operand struct {
	rows, cols int
	row, col   int // elements between rows and between columns
	data       []float64
}

// operandOf returns op(m). It panics unless the slice of m holds all its entries.
func operandOf(name string, t blas.Transpose, m blas64.General) operand {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols {
		panic(fmt.Sprintf("simd: %s is %d×%d with stride %d", name, m.Rows, m.Cols, m.Stride))
	}
	if m.Rows > 0 && m.Cols > 0 && len(m.Data) < (m.Rows-1)*m.Stride+m.Cols {
		panic(fmt.Sprintf("simd: %s is %d×%d with stride %d in %d elements", name, m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
	switch t {
	case blas.NoTrans:
		return operand{m.Rows, m.Cols, m.Stride, 1, m.Data}
	case blas.Trans, blas.ConjTrans:
		return operand{m.Cols, m.Rows, 1, m.Stride, m.Data}
	}
	panic(fmt.Sprintf("simd: %s has an unknown transpose %q", name, t))
}

// block returns the rows×cols submatrix of o at row i and column j. Its data extend to the end of
// those of o.
func (o operand) block(i, j, rows, cols int) operand {
	o.data = o.data[i*o.row+j*o.col:]
	o.rows, o.cols = rows, cols
	return o
}
