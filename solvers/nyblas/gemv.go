package nyblas

import "gonum.org/v1/gonum/blas"

// gemvLeast is how many entries A has at least for its vectors to be gathered.
const gemvLeast = 2048

// Dgemv performs y = alpha·op(A)·x + beta·y. It is gonum's, but for vectors with gaps,
// such as columns of a matrix in gonum's decompositions: those are copied together
// first, since gonum's assembly reads them again for every four rows.
func (p Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	rows, cols := stored(tA, m, n) // of y and x
	gaps := incX > 1 || incY > 1
	legal := (tA == blas.NoTrans || tA == blas.Trans || tA == blas.ConjTrans) && m > 0 && n > 0 && lda >= n && incX > 0 && incY > 0 &&
		len(a) >= lda*(m-1)+n && len(x) > (cols-1)*incX && len(y) > (rows-1)*incY
	if !gaps || !legal || alpha == 0 || m*n < gemvLeast && least > 0 {
		p.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	s := borrow(rows + cols)
	defer s.giveBack()
	from, to := s.v[:cols], s.v[cols:]
	gather(from, x, incX)
	gather(to, y, incY)
	p.Implementation.Dgemv(tA, m, n, alpha, a, lda, from, 1, beta, to, 1)
	for i, v := range to {
		y[i*incY] = v
	}
}

// gather is a vector without its gaps.
func gather(dst, x []float64, inc int) {
	for i := range dst {
		dst[i] = x[i*inc]
	}
}
