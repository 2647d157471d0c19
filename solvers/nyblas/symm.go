package nyblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Dsymm performs C = alpha·A·B + beta·C if s is blas.Left, or
// C = alpha·B·A + beta·C, where A is symmetric and given by one triangle, and B
// and C are m×n.
func (p Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	k := n
	if s == blas.Left {
		k = m
	}
	if small(m, n, k) || alpha == 0 {
		p.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	checkSide(s)
	checkUplo(ul)
	check(m >= 0, mLT0)
	check(n >= 0, nLT0)
	checkStride(lda, k, badLdA)
	checkStride(ldb, n, badLdB)
	checkStride(ldc, n, badLdC)
	checkLength(len(a), k, k, lda, shortA)
	checkLength(len(b), m, n, ldb, shortB)
	checkLength(len(c), m, n, ldc, shortC)

	f := symmetric.fromLeft
	if s == blas.Right {
		f = symmetric.fromRight
	}
	symmetric{ul, view(k, k, a, lda)}.apply(p.threads(), s, alpha, view(m, n, b, ldb), beta, view(m, n, c, ldc), f)
}

// symmetric is a symmetric matrix of which one triangle is given.
type symmetric struct {
	ul blas.Uplo
	a  blas64.General
}

// apply runs a product, in parts if it is large.
func (s symmetric) apply(threads int, side blas.Side, alpha float64, b blas64.General, beta float64, c blas64.General,
	f func(s symmetric, alpha float64, b blas64.General, beta float64, c blas64.General)) {
	threads = threadsFor(threads, float64(b.Rows)*float64(b.Cols)*float64(s.a.Rows))
	if threads == 1 {
		f(s, alpha, b, beta, c)
		return
	}
	divide(threads, side, b, func(i, j, rows, cols int) {
		f(s, alpha, block(b, i, j, rows, cols), beta, block(c, i, j, rows, cols))
	})
}

// halves cuts the matrix in [A11 A21ᵀ; A21 A22]. The off-diagonal block A21 is
// off under t, and its transpose off under u.
func (s symmetric) halves() (s11, s22 symmetric, off blas64.General, t, u blas.Transpose) {
	n := s.a.Rows
	h := half(n)
	s11, s22 = symmetric{s.ul, block(s.a, 0, 0, h, h)}, symmetric{s.ul, block(s.a, h, h, n-h, n-h)}
	if s.ul == blas.Lower {
		return s11, s22, block(s.a, h, 0, n-h, h), blas.NoTrans, blas.Trans
	}
	return s11, s22, block(s.a, 0, h, h, n-h), blas.Trans, blas.NoTrans
}

// fromLeft is C = alpha·A·B + beta·C.
func (s symmetric) fromLeft(alpha float64, b blas64.General, beta float64, c blas64.General) {
	n := s.a.Rows
	if n <= leafRows {
		full := leaves.Get().(*leaf)
		multiply(1, blas.NoTrans, blas.NoTrans, alpha, s.expand(full), b, beta, c)
		leaves.Put(full)
		return
	}
	s11, s22, off, t, u := s.halves()
	h := s11.a.Rows
	b1, b2 := block(b, 0, 0, h, b.Cols), block(b, h, 0, n-h, b.Cols)
	c1, c2 := block(c, 0, 0, h, c.Cols), block(c, h, 0, n-h, c.Cols)
	s11.fromLeft(alpha, b1, beta, c1)
	multiply(1, u, blas.NoTrans, alpha, off, b2, 1, c1)
	multiply(1, t, blas.NoTrans, alpha, off, b1, beta, c2)
	s22.fromLeft(alpha, b2, 1, c2)
}

// fromRight is C = alpha·B·A + beta·C.
func (s symmetric) fromRight(alpha float64, b blas64.General, beta float64, c blas64.General) {
	n := s.a.Rows
	if n <= leafRows {
		full := leaves.Get().(*leaf)
		multiply(1, blas.NoTrans, blas.NoTrans, alpha, b, s.expand(full), beta, c)
		leaves.Put(full)
		return
	}
	s11, s22, off, t, u := s.halves()
	h := s11.a.Rows
	b1, b2 := block(b, 0, 0, b.Rows, h), block(b, 0, h, b.Rows, n-h)
	c1, c2 := block(c, 0, 0, c.Rows, h), block(c, 0, h, c.Rows, n-h)
	s11.fromRight(alpha, b1, beta, c1)
	multiply(1, blas.NoTrans, t, alpha, b2, off, 1, c1)
	multiply(1, blas.NoTrans, u, alpha, b1, off, beta, c2)
	s22.fromRight(alpha, b2, 1, c2)
}

// expand writes both triangles.
func (s symmetric) expand(full *leaf) blas64.General {
	n := s.a.Rows
	for i := range n {
		for j := range i + 1 {
			v := s.a.Data[i*s.a.Stride+j]
			if s.ul == blas.Upper {
				v = s.a.Data[j*s.a.Stride+i]
			}
			full[i*n+j], full[j*n+i] = v, v
		}
	}
	return view(n, n, full[:n*n], n)
}
