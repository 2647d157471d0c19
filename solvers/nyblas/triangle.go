package nyblas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// triangle is a triangular matrix op(A).
type triangle struct {
	ul blas.Uplo
	t  blas.Transpose
	d  blas.Diag
	a  blas64.General
}

// triangleRows is the order at which the recursion on triangles stops.
const triangleRows = simd.Lanes

// lower reports whether op(A) is lower triangular.
func (t triangle) lower() bool { return (t.ul == blas.Lower) == (t.t == blas.NoTrans) }

// halves returns the two triangles on the diagonal. off is the block between them, under the same transpose.
func (t triangle) halves() (t1, t2 triangle, off blas64.General) {
	n := t.a.Rows
	h := half(n)
	t1, t2 = t, t
	t1.a, t2.a = matrix.Block(t.a, 0, 0, h, h), matrix.Block(t.a, h, h, n-h, n-h)
	if t.ul == blas.Lower {
		return t1, t2, matrix.Block(t.a, h, 0, n-h, h)
	}
	return t1, t2, matrix.Block(t.a, 0, h, h, n-h)
}

// onTriangle runs an operation of Dtrmm or Dtrsm, or leaves a small one to gonum.
func (p Implementation) onTriangle(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int,
	alpha float64, a []float64, lda int, b []float64, ldb int, left, right operation) {
	checkSide(s)
	checkUplo(ul)
	checkTranspose(tA)
	checkDiag(d)
	check(m >= 0, mLT0)
	check(n >= 0, nLT0)
	k, f := n, right
	if s == blas.Left {
		k, f = m, left
	}
	checkStride(lda, k, badLdA)
	checkStride(ldb, n, badLdB)
	checkLength(len(a), k, k, lda, shortA)
	checkLength(len(b), m, n, ldb, shortB)
	triangle{ul, tA, d, view(k, k, a, lda)}.apply(p.threads(), s, alpha, view(m, n, b, ldb), f)
}

// order returns the size of the square matrix on side s of an m×n matrix.
func order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}

// operation is a triangular operation on B in place. From the left, columns of B are independent; from the right, rows.
type operation func(t triangle, alpha float64, b blas64.General)

// apply runs an operation on B, in parallel if B is large.
func (t triangle) apply(threads int, s blas.Side, alpha float64, b blas64.General, f operation) {
	threads = threadsFor(threads, float64(b.Rows)*float64(b.Cols)*float64(t.a.Rows)/2)
	if threads == 1 {
		f(t, alpha, b)
		return
	}
	divide(threads, s, b, func(i, j, rows, cols int) { f(t, alpha, matrix.Block(b, i, j, rows, cols)) })
}

// rowsIn and colsIn split B as halves splits the triangle.
func rowsIn(b blas64.General) (b1, b2 blas64.General) {
	h := half(b.Rows)
	return matrix.Block(b, 0, 0, h, b.Cols), matrix.Block(b, h, 0, b.Rows-h, b.Cols)
}

func colsIn(b blas64.General) (b1, b2 blas64.General) {
	h := half(b.Cols)
	return matrix.Block(b, 0, 0, b.Rows, h), matrix.Block(b, 0, h, b.Rows, b.Cols-h)
}

// stripRows is the number of rows of B that are transposed at a time.
const stripRows = 128

// strip is memory for the transpose of stripRows rows of a small triangle's length.
type strip [triangleRows * stripRows]float64

var strips = sync.Pool{New: func() any { return new(strip) }}

// transposed applies f, which works from the left, from the right for a small triangle. It works on strips of Bᵀ, whose
// rows are long enough for vector instructions, with the other transpose of A.
func (t triangle) transposed(alpha float64, b blas64.General, f operation) {
	t.t = opposite(t.t)
	s := strips.Get().(*strip)
	for i := 0; i < b.Rows; i += stripRows {
		rows := matrix.Block(b, i, 0, min(stripRows, b.Rows-i), b.Cols)
		s.load(rows)
		f(t, alpha, view(b.Cols, rows.Rows, s[:], stripRows))
		s.store(rows)
	}
	strips.Put(s)
}

func (s *strip) load(b blas64.General) {
	for i := range b.Rows {
		for j, v := range matrix.Row(b, i) {
			s[j*stripRows+i] = v
		}
	}
}

func (s *strip) store(b blas64.General) {
	for i := range b.Rows {
		row := matrix.Row(b, i)
		for j := range row {
			row[j] = s[j*stripRows+i]
		}
	}
}

// reference performs the operations on small triangles.
var reference gonum.Implementation
