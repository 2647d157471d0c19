package nyblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Dtrsm solves op(A)·X = alpha·B if s is blas.Left, or X·op(A) = alpha·B, where A is triangular and B is m×n. X
// overwrites B. Like gonum, it does not check whether A is singular.
func (p Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if small(m, n, order(s, m, n)) || alpha == 0 {
		p.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	p.onTriangle(s, ul, tA, d, m, n, alpha, a, lda, b, ldb, triangle.solveLeft, triangle.solveRight)
}

// solveLeft performs B = alpha·op(A)⁻¹·B.
func (t triangle) solveLeft(alpha float64, b blas64.General) {
	if t.a.Rows <= triangleRows {
		reference.Dtrsm(blas.Left, t.ul, t.t, t.d, b.Rows, b.Cols, alpha, t.a.Data, t.a.Stride, b.Data, b.Stride)
		return
	}
	first, second, off := t.halves()
	b1, b2 := rowsIn(b)
	if !t.lower() {
		first, second, b1, b2 = second, first, b2, b1
	}
	first.solveLeft(alpha, b1)
	multiply(1, t.t, blas.NoTrans, -1, off, b1, alpha, b2)
	second.solveLeft(1, b2)
}

// solveRight performs B = alpha·B·op(A)⁻¹.
func (t triangle) solveRight(alpha float64, b blas64.General) {
	if t.a.Rows <= triangleRows {
		t.transposed(alpha, b, triangle.solveLeft)
		return
	}
	first, second, off := t.halves()
	b1, b2 := colsIn(b)
	if t.lower() {
		first, second, b1, b2 = second, first, b2, b1
	}
	first.solveRight(alpha, b1)
	multiply(1, blas.NoTrans, t.t, -1, b1, off, alpha, b2)
	second.solveRight(1, b2)
}
