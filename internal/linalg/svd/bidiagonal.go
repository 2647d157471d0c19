package svd

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/conquer"
)

// leafRows is the size up to which the QR iteration decomposes a bidiagonal matrix.
const leafRows = 32

// vectorsOf returns the left and right singular vectors, as rows, of an upper bidiagonal matrix.
// The values replace its diagonal d, in the same order, which is arbitrary.
func vectorsOf(d, e []float64) (left, right conquer.Rows, err error) {
	b := newBidiagonal(d, e)
	err = b.solve(0, len(d), 0)
	return b.u, b.v, err
}

// bidiagonal is an upper bidiagonal matrix that is decomposed in place: at the end d holds the
// singular values, in arbitrary order, and rows i of u and v are the vectors of d[i].
//
// A block of rows lo to hi has the columns lo to hi + wide. In all blocks but the last, wide is 1:
// e[hi-1] belongs to the block, which has one column more than rows, and row hi of v is its null
// vector.
type bidiagonal struct {
	d, e       []float64
	limit      float64 // the rounding level
	tiny       float64 // magnitudes up to it count as zero, so that no product underflows
	u, v       conquer.Rows
	held       conquer.Rows // scratch for the vectors that a merge combines
	mixU, mixV conquer.Rows // row j holds the coefficients of vector j
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

// solve decomposes the block of rows lo to hi.
func (b *bidiagonal) solve(lo, hi, wide int) error {
	n := hi - lo
	if n <= leafRows {
		return b.leaf(lo, hi, wide)
	}
	// Without row mid there are two blocks with disjoint columns.
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

// leaf decomposes a small block by the QR iteration, which returns nonnegative values.
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

// square makes a block with one more column than rows square. It rotates the last column with each
// of the others, from the last to the first; each rotation moves the remaining entry up one row,
// until it vanishes.
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
