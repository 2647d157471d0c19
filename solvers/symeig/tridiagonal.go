package symeig

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	epsilon  = 0x1p-53
	leafRows = 32 // tridiagonal matrices up to so large are decomposed by the QR iteration
)

// rows is a matrix whose rows are eigenvectors.
type rows blas64.General

func (q rows) row(i int) []float64 { return q.Data[i*q.Stride : i*q.Stride+q.Cols] }

// block is the part of it with the given rows and columns, sharing its data.
func (q rows) block(row, nrows, col, ncols int) blas64.General {
	if nrows == 0 || ncols == 0 {
		return blas64.General{Rows: nrows, Cols: ncols, Stride: q.Stride}
	}
	return blas64.General{Rows: nrows, Cols: ncols, Stride: q.Stride, Data: q.Data[row*q.Stride+col:]}
}

// tridiagonal is a matrix that is decomposed in place: at the end d are the
// eigenvalues, in no order, and row i of q is the vector of d[i].
type tridiagonal struct {
	d, e []float64
	q    rows
	held rows // vectors that a merge combines
	mix  rows // row j is how they make vector j
}

func newTridiagonal(d, e []float64) *tridiagonal {
	n := len(d)
	square := func() rows { return rows(newMatrix(n, n)) }
	t := &tridiagonal{d: d, e: e, q: square()}
	if n > leafRows {
		t.held, t.mix = square(), square()
	}
	return t
}

// solve decomposes the diagonal block of the rows from lo to hi.
func (t *tridiagonal) solve(lo, hi int) error {
	n := hi - lo
	if n <= leafRows {
		return leaf(t.d[lo:hi], t.e[lo:hi-1], rows(t.q.block(lo, n, lo, n)))
	}
	// T = diag(T₁, T₂) + |e|·w·wᵀ, w the last unit vector of T₁ and ± the first of T₂.
	mid := lo + n/2
	rho := math.Abs(t.e[mid-1])
	t.d[mid-1] -= rho
	t.d[mid] -= rho
	if err := t.solve(lo, mid); err != nil {
		return err
	}
	if err := t.solve(mid, hi); err != nil {
		return err
	}
	t.merge(lo, mid, hi, rho, math.Copysign(1, t.e[mid-1]))
	return nil
}
