package svd

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/conquer"
)

// leafRows: bidiagonal matrices up to so large are decomposed by the QR iteration.
const leafRows = 32

// vectorsOf returns the left and right vectors, in rows, of the singular values of an
// upper bidiagonal matrix. Its diagonal d becomes the values, in the same order, which
// is none.
func vectorsOf(d, e []float64) (left, right conquer.Rows, err error) {
	b := newBidiagonal(d, e)
	err = b.solve(0, len(d), 0)
	return b.u, b.v, err
}

// bidiagonal is an upper bidiagonal matrix that is decomposed in place: at the end d
// are the singular values, in no order, and rows i of u and v are the vectors of
// d[i].
//
// A block of the rows from lo to hi has the columns from lo to hi + wide. In all blocks
// but the last wide is 1: e[hi-1] is in the block, which has one column more than rows,
// and row hi of v is then the vector that it makes zero.
type bidiagonal struct {
	d, e       []float64
	limit      float64 // what is no larger is rounding
	tiny       float64 // what is no larger is zero, so that no product underflows
	u, v       conquer.Rows
	held       conquer.Rows // vectors that a merge combines
	mixU, mixV conquer.Rows // row j is how they make vector j
}

func newBidiagonal(d, e []float64) *bidiagonal {
	most := 0.0
	for _, x := range [][]float64{d, e} {
		for _, v := range x {
			most = math.Max(most, math.Abs(v))
		}
	}
	n := len(d)
	b := &bidiagonal{
		d: d, e: e, limit: 8 * conquer.Epsilon * most, tiny: 0x1p-150 * most,
		u: conquer.NewRows(n), v: conquer.NewRows(n),
	}
	for _, x := range [][]float64{d, e} {
		for i, v := range x {
			if math.Abs(v) <= b.tiny {
				x[i] = 0
			}
		}
	}
	if n > leafRows {
		b.held, b.mixU, b.mixV = conquer.NewRows(n), conquer.NewRows(n), conquer.NewRows(n)
	}
	return b
}

// solve decomposes the block of the rows from lo to hi.
func (b *bidiagonal) solve(lo, hi, wide int) error {
	n := hi - lo
	if n <= leafRows {
		return b.leaf(lo, hi, wide)
	}
	// Without row mid there are two blocks, with no column in common.
	mid := lo + n/2
	if err := b.solve(lo, mid, 1); err != nil {
		return err
	}
	if err := b.solve(mid+1, hi, wide); err != nil {
		return err
	}
	b.merge(lo, mid, hi, wide)
	return nil
}

// leaf decomposes a small block by the QR iteration, which makes values that are not
// negative.
func (b *bidiagonal) leaf(lo, hi, wide int) error {
	n := hi - lo
	for i := lo; i < hi; i++ {
		b.u.Row(i)[i], b.v.Row(i)[i] = 1, 1
	}
	if wide == 1 {
		b.v.Row(hi)[hi] = 1
		b.square(lo, hi)
	}
	u, v := b.u.Block(lo, n, lo, n), b.v.Block(lo, n, lo, n+wide)
	if !impl.Dbdsqr(blas.Upper, n, n+wide, 0, n, b.d[lo:hi], b.e[lo:max(lo, hi-1)], v.Data, v.Stride, nil, 1, u.Data, u.Stride, make([]float64, 4*n)) {
		return ErrNotConverging
	}
	return nil
}

// square makes the last column of a block that has one more than rows zero, by
// rotations with the others from the last to the first; each moves what is to be
// zeroed a row up.
func (b *bidiagonal) square(lo, hi int) {
	out := b.e[hi-1]
	for i := hi - 1; i >= lo && math.Abs(out) > b.tiny; i-- {
		norm := math.Hypot(b.d[i], out)
		c, s := b.d[i]/norm, out/norm
		b.d[i] = norm
		conquer.Rotate(b.v.Row(i)[lo:hi+1], b.v.Row(hi)[lo:hi+1], c, s)
		if i > lo {
			out = -s * b.e[i-1]
			b.e[i-1] *= c
		}
	}
}
