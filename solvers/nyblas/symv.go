package nyblas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/simd"
)

// symvLeast is the order below which gonum's loops are as fast. gonum's reduction to tridiagonal form spends most of
// its time in this routine.
const symvLeast = 48

// scratch is memory for packed vectors.
type scratch struct{ v []float64 }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// borrow returns memory for n numbers, with arbitrary contents.
func borrow(n int) *scratch {
	s := scratches.Get().(*scratch)
	if cap(s.v) < n {
		s.v = make([]float64, n)
	}
	s.v = s.v[:n]
	return s
}

func (s *scratch) giveBack() { scratches.Put(s) }

// Dsymv performs y = alpha·A·x + beta·y for a symmetric n×n matrix A. It reads one triangle, once, on one thread. Small
// and illegal operations, and those with negative increments, are left to gonum.
func (p Implementation) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	legal := (ul == blas.Upper || ul == blas.Lower) && n > 0 && lda >= n && incX > 0 && incY > 0 &&
		len(a) >= lda*(n-1)+n && len(x) > (n-1)*incX && len(y) > (n-1)*incY
	if !legal || alpha == 0 || simd.Active() == simd.Go || n < symvLeast && smallWork > 0 {
		p.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	room := borrow(2 * n)
	defer room.giveBack()
	ax, sum := room.v[:n], room.v[n:]
	scaledCopy(ax, alpha, x, incX)
	scaledCopy(sum, beta, y, incY)
	simd.AddSymmetric(sum, ul == blas.Upper, blas64.General{Rows: n, Cols: n, Data: a, Stride: lda}, ax)
	for i, s := range sum {
		y[i*incY] = s
	}
}
