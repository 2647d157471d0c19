package nyblas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Dsyrk performs C = alpha·op(A)·op(A)ᵀ + beta·C on one triangle of the n×n
// matrix C, where op(A) is n×k: A if tA is blas.NoTrans, or its transpose.
func (p Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if small(n, n, k) || alpha == 0 {
		p.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	rankK{ul: ul, t: tA, alpha: alpha, beta: beta}.run(p.threads(), n, k, a, lda, a, lda, c, ldc)
}

// rankK is a symmetric update of one triangle of C:
//
//	C = alpha·op(A)·op(B)ᵀ + beta·C
//
// with B = A. If two is set, alpha·op(B)·op(A)ᵀ is added as well.
type rankK struct {
	ul          blas.Uplo
	t           blas.Transpose
	two         bool
	alpha, beta float64
}

// run checks the arguments and performs the update.
func (r rankK) run(threads, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	rows, cols := stored(r.t, n, k)
	checkUplo(r.ul)
	checkTranspose(r.t)
	check(n >= 0, nLT0)
	check(k >= 0, kLT0)
	checkStride(lda, cols, badLdA)
	checkStride(ldb, cols, badLdB)
	checkStride(ldc, n, badLdC)
	checkLength(len(a), rows, cols, lda, shortA)
	checkLength(len(b), rows, cols, ldb, shortB)
	checkLength(len(c), n, n, ldc, shortC)
	r.update(threads, view(rows, cols, a, lda), view(rows, cols, b, ldb), view(n, n, c, ldc))
}

// update halves C recursively. The square between the two triangles is half of the work.
func (r rankK) update(threads int, a, b, c blas64.General) {
	n := c.Rows
	if n <= leafRows {
		r.leaf(threads, a, b, c)
		return
	}
	_, k := stored(r.t, a.Rows, a.Cols)
	if threadsFor(threads, float64(n)*float64(n)*float64(k)/2) > 1 {
		r.fork(threads, a, b, c)
		return
	}
	r.triangles(1, a, b, c)
	r.square(1, a, b, c)
}

// fork gives half of the threads to the square, and the rest to the triangles.
func (r rankK) fork(threads int, a, b, c blas64.General) {
	var wg sync.WaitGroup
	wg.Go(func() { r.square(threads/2, a, b, c) })
	r.triangles(threads-threads/2, a, b, c)
	wg.Wait()
}

func (r rankK) triangles(threads int, a, b, c blas64.General) {
	n := c.Rows
	h := half(n)
	r.update(threads, rowsOf(r.t, a, 0, h), rowsOf(r.t, b, 0, h), matrix.Block(c, 0, 0, h, h))
	r.update(threads, rowsOf(r.t, a, h, n-h), rowsOf(r.t, b, h, n-h), matrix.Block(c, h, h, n-h, n-h))
}

// square updates the block of C between its triangles.
func (r rankK) square(threads int, a, b, c blas64.General) {
	n := c.Rows
	h := half(n)
	i, rows, j, cols := h, n-h, 0, h
	if r.ul == blas.Upper {
		i, rows, j, cols = j, cols, i, rows
	}
	c = matrix.Block(c, i, j, rows, cols)
	multiply(threads, r.t, opposite(r.t), r.alpha, rowsOf(r.t, a, i, rows), rowsOf(r.t, b, j, cols), r.beta, c)
	if r.two {
		multiply(threads, r.t, opposite(r.t), r.alpha, rowsOf(r.t, b, i, rows), rowsOf(r.t, a, j, cols), 1, c)
	}
}

// leaf computes a small square in full and adds one triangle of it to C.
func (r rankK) leaf(threads int, a, b, c blas64.General) {
	n := c.Rows
	l := leaves.Get().(*leaf)
	multiply(threads, r.t, opposite(r.t), r.alpha, a, b, 0, view(n, n, l[:n*n], n))
	for i := range n {
		from, to := 0, i+1
		if r.ul == blas.Upper {
			from, to = i, n
		}
		row := c.Data[i*c.Stride:]
		for j := from; j < to; j++ {
			v := l[i*n+j]
			if r.two {
				v += l[j*n+i]
			}
			if r.beta != 0 {
				v += float64(r.beta * row[j])
			}
			row[j] = v
		}
	}
	leaves.Put(l)
}

func opposite(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}
