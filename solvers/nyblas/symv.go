package nyblas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
)

// The symmetric matrix times a vector is where gonum's reduction to tridiagonal form
// spends its time: its Dsymv is plain loops, while its Dgemv is assembly.
const (
	symvLeast = 48 // rows below which gonum's loops are as quick
	symvRows  = 16 // of a panel, which stays in the cache for its second product
)

// scratch is memory for vectors without gaps.
type scratch struct{ v []float64 }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// borrow has room for n numbers, which may be anything.
func borrow(n int) *scratch {
	s := scratches.Get().(*scratch)
	if cap(s.v) < n {
		s.v = make([]float64, n)
	}
	s.v = s.v[:n]
	return s
}

func (s *scratch) giveBack() { scratches.Put(s) }

// Dsymv performs y = alpha·A·x + beta·y for the symmetric n×n matrix A, given by one
// triangle. Panels of rows are multiplied as they are and transposed, one after the
// other, so that A is read once. What is small, illegal, or has negative increments is
// gonum's.
func (p Implementation) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	legal := (ul == blas.Upper || ul == blas.Lower) && n > 0 && lda >= n && incX > 0 && incY > 0 &&
		len(a) >= lda*(n-1)+n && len(x) > (n-1)*incX && len(y) > (n-1)*incY
	if !legal || alpha == 0 || n < symvLeast && least > 0 {
		p.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	room := borrow(2 * n)
	defer room.giveBack()
	ax, sum := room.v[:n], room.v[n:]
	for i := range ax {
		ax[i], sum[i] = alpha*x[i*incX], 0
	}
	p.symv(ul, a, lda, ax, sum)
	for i, s := range sum {
		if beta != 0 {
			s += beta * y[i*incY]
		}
		y[i*incY] = s
	}
}

// symv is y += A·x.
func (p Implementation) symv(ul blas.Uplo, a []float64, lda int, x, y []float64) {
	n := len(x)
	for i := 0; i < n; i += symvRows {
		rows := min(symvRows, n-i)
		diagonal(ul, a[i*lda+i:], lda, x[i:i+rows], y[i:i+rows])
		first, cols := 0, i // of the panel beside the block on the diagonal
		if ul == blas.Upper {
			first, cols = i+rows, n-i-rows
		}
		if cols > 0 {
			panel := a[i*lda+first:]
			p.Dgemv(blas.NoTrans, rows, cols, 1, panel, lda, x[first:first+cols], 1, 1, y[i:i+rows], 1)
			p.Dgemv(blas.Trans, rows, cols, 1, panel, lda, x[i:i+rows], 1, 1, y[first:first+cols], 1)
		}
	}
}

// diagonal is y += A·x for a block on the diagonal.
func diagonal(ul blas.Uplo, a []float64, lda int, x, y []float64) {
	for i := range x {
		y[i] += a[i*lda+i] * x[i]
		for j := range i {
			v := a[i*lda+j]
			if ul == blas.Upper {
				v = a[j*lda+i]
			}
			y[i] += v * x[j]
			y[j] += v * x[i]
		}
	}
}
