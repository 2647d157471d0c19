package svd

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/nystream/nystream/internal/linalg/conquer"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
)

var impl gonum.Implementation

// reduction is A/unit = Q·B·Pᵀ, where B is upper bidiagonal with diagonal d and superdiagonal e,
// and Q and P are stored as reflectors. If A is tall, Q is the product of its QR factor and the Q
// of the triangle.
type reduction struct {
	unit       float64
	d, e       []float64
	qr         *householder.Reflectors
	a          blas64.General
	tauQ, tauP []float64
}

// tall reports whether it is faster to reduce the triangle of a QR factorization.
func tall(rows, cols int) bool { return 4*rows >= 5*cols }

// reduce reduces a copy of a, which has no more columns than rows.
func reduce(a blas64.General) (*reduction, error) {
	most, err := largest(a)
	if err != nil {
		return nil, err
	}
	m, n := a.Rows, a.Cols
	r := &reduction{
		unit: conquer.PowerOfTwo(most), a: matrix.New(m, n),
		d: make([]float64, n), e: make([]float64, n-1), tauQ: make([]float64, n), tauP: make([]float64, n),
	}
	for i := range m {
		for j, v := range a.Data[i*a.Stride : i*a.Stride+n] {
			r.a.Data[i*n+j] = v / r.unit
		}
	}
	if tall(m, n) {
		r.triangle()
	}
	size := []float64{0}
	impl.Dgebrd(r.a.Rows, n, r.a.Data, n, r.d, r.e, r.tauQ, r.tauP, size, -1)
	work := make([]float64, int(size[0]))
	impl.Dgebrd(r.a.Rows, n, r.a.Data, n, r.d, r.e, r.tauQ, r.tauP, work, len(work))
	return r, nil
}

// triangle replaces the matrix by the triangle of its QR factorization.
func (r *reduction) triangle() {
	qr := householder.QR(r.a)
	r.qr = &qr
	n := r.a.Cols
	r.a = matrix.New(n, n)
	for i := range n {
		copy(r.a.Data[i*n+i:(i+1)*n], qr.V.Data[i*n+i:])
	}
}

// applyLeft sets U ← Q·U.
func (r *reduction) applyLeft(u blas64.General) {
	top := u
	top.Rows = r.a.Rows
	householder.Reflectors{V: r.a, Tau: r.tauQ}.Apply(top)
	if r.qr != nil {
		r.qr.Apply(u)
	}
}

// applyRight sets V ← P·V. The reflectors act on rows 1 and later.
func (r *reduction) applyRight(v blas64.General) {
	n := v.Rows
	if n < 2 {
		return
	}
	rows := conquer.Rows(r.a).Block(0, n-1, 1, n-1)
	householder.Reflectors{V: rows, Tau: r.tauP[:n-1], InRows: true}.Apply(conquer.Rows(v).Block(1, n-1, 0, n))
}
