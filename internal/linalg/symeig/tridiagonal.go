package symeig

import (
	"math"

	"github.com/nystream/nystream/internal/linalg/conquer"
)

// leafRows is the size up to which the QR iteration decomposes a tridiagonal matrix.
const leafRows = 32

// tridiagonal is a matrix that is decomposed in place: at the end d holds the eigenvalues, in
// arbitrary order, and row i of q is the vector of d[i].
type tridiagonal struct {
	d, e []float64
	q    conquer.Rows
	held conquer.Rows // scratch for the vectors that a merge combines
	mix  conquer.Rows // row j holds the coefficients of vector j
}

func newTridiagonal(d, e []float64) *tridiagonal {
	n := len(d)
	t := &tridiagonal{d: d, e: e, q: conquer.NewRows(n)}
	if n > leafRows {
		t.held, t.mix = conquer.NewRows(n), conquer.NewRows(n)
	}
	return t
}

// solve decomposes the diagonal block of rows lo to hi.
func (t *tridiagonal) solve(lo, hi int) error {
	n := hi - lo
	if n <= leafRows {
		return leaf(t.d[lo:hi], t.e[lo:hi-1], conquer.Rows(t.q.Block(lo, n, lo, n)))
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
