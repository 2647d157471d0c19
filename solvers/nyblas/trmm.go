package nyblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Dtrmm performs B = alpha·op(A)·B if s is blas.Left, or B = alpha·B·op(A), where
// A is triangular and B is m×n.
func (p Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if small(m, n, order(s, m, n)) || alpha == 0 {
		p.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	p.onTriangle(s, ul, tA, d, m, n, alpha, a, lda, b, ldb, triangle.multiplyLeft, triangle.multiplyRight)
}

// multiplyLeft performs B = alpha·op(A)·B. It first updates the half that depends on both halves, before the other
// changes.
func (t triangle) multiplyLeft(alpha float64, b blas64.General) {
	if t.a.Rows <= triangleRows {
		reference.Dtrmm(blas.Left, t.ul, t.t, t.d, b.Rows, b.Cols, alpha, t.a.Data, t.a.Stride, b.Data, b.Stride)
		return
	}
	first, second, off := t.halves()
	b1, b2 := rowsIn(b)
	if t.lower() {
		first, second, b1, b2 = second, first, b2, b1
	}
	first.multiplyLeft(alpha, b1)
	multiply(1, t.t, blas.NoTrans, alpha, off, b2, 1, b1)
	second.multiplyLeft(alpha, b2)
}

// multiplyRight performs B = alpha·B·op(A).
func (t triangle) multiplyRight(alpha float64, b blas64.General) {
	if t.a.Rows <= triangleRows {
		t.transposed(alpha, b, triangle.multiplyLeft)
		return
	}
	first, second, off := t.halves()
	b1, b2 := colsIn(b)
	if !t.lower() {
		first, second, b1, b2 = second, first, b2, b1
	}
	first.multiplyRight(alpha, b1)
	multiply(1, blas.NoTrans, t.t, alpha, b2, off, 1, b1)
	second.multiplyRight(alpha, b2)
}
