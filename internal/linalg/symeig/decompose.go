package symeig

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/nystream/nystream/internal/linalg/conquer"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
)

var impl gonum.Implementation

// ErrNotFinite reports that a matrix has a NaN or an infinity.
var ErrNotFinite = errors.New("the matrix has numbers that are not finite")

// errNoConvergence is returned if the QR iteration on a leaf fails. That has never been observed.
var errNoConvergence = errors.New("the eigenvalues did not converge")

// Decompose computes all eigenvalues of a symmetric n×n matrix, of which it reads the lower
// triangle, descending, and the n×n matrix whose columns are the eigenvectors. Their signs are
// arbitrary.
//
// The residual ‖A·V − V·diag(λ)‖ and the eigenvalues are accurate to a small multiple of n·ε·‖A‖,
// and V is orthonormal to a small multiple of n·ε.
//
// Cost: 4/3·n³ flops for the reduction, half of them in matrix-vector products; up to 4/3·n³ for
// the vectors of the tridiagonal matrix, fewer if eigenvalues are close to each other; 2·n³ to
// transform them back. Memory: 4·n² numbers.
func Decompose(a blas64.General) (values []float64, vectors blas64.General, err error) {
	n := a.Rows
	if a.Cols != n {
		panic("symeig: the matrix is not square")
	}
	if n == 0 {
		return nil, blas64.General{Stride: 1}, nil
	}
	scale, err := largest(a)
	if err != nil {
		return nil, blas64.General{}, err
	}
	unit := conquer.PowerOfTwo(scale)
	r := reduce(a, unit)
	t := newTridiagonal(r.d, r.e)
	if err := t.solve(0, n); err != nil {
		return nil, blas64.General{}, err
	}
	order := conquer.Numbered(n)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t.d[j], t.d[i]) })
	values = make([]float64, n)
	vectors = matrix.New(n, n)
	for j, from := range order {
		values[j] = t.d[from] * unit
	}
	t.q.Columns(order, vectors)
	r.applyQ(vectors)
	return values, vectors, nil
}

// largest returns the largest magnitude in the lower triangle. It returns ErrNotFinite for a NaN or
// an infinity.
func largest(a blas64.General) (float64, error) {
	most := 0.0
	for i := range a.Rows {
		for _, v := range a.Data[i*a.Stride : i*a.Stride+i+1] {
			if !matrix.IsFinite(v) {
				return 0, ErrNotFinite
			}
			most = math.Max(most, math.Abs(v))
		}
	}
	return most, nil
}

// reduction is A = Q·T·Qᵀ, where T is tridiagonal with diagonal d and off-diagonal e, and Q is
// stored as reflectors.
type reduction struct {
	a    blas64.General
	d, e []float64
	tau  []float64
}

// reduce reduces a copy of A/unit.
func reduce(a blas64.General, unit float64) *reduction {
	n := a.Rows
	r := &reduction{a: matrix.New(n, n), d: make([]float64, n), e: make([]float64, max(0, n-1)), tau: make([]float64, max(0, n-1))}
	for i := range n {
		for j, v := range a.Data[i*a.Stride : i*a.Stride+i+1] {
			r.a.Data[i*n+j] = v / unit
		}
	}
	size := []float64{0}
	impl.Dsytrd(blas.Lower, n, r.a.Data, n, r.d, r.e, r.tau, size, -1)
	work := make([]float64, int(size[0]))
	impl.Dsytrd(blas.Lower, n, r.a.Data, n, r.d, r.e, r.tau, work, len(work))
	return r
}

// applyQ sets V ← Q·V. The reflectors act on rows 1 and later.
func (r *reduction) applyQ(v blas64.General) {
	n := v.Rows
	if n < 2 {
		return
	}
	rows := func(m blas64.General) blas64.General { return conquer.Rows(m).Block(1, n-1, 0, m.Cols) }
	below := rows(r.a)
	below.Cols--
	householder.Reflectors{V: below, Tau: r.tau}.Apply(rows(v))
}

// leaf decomposes a small tridiagonal matrix by the QR iteration. The eigenvalues replace d, and
// the vectors are the rows of q.
func leaf(d, e []float64, q conquer.Rows) error {
	n := len(d)
	z := make([]float64, n*n)
	if !impl.Dsteqr(lapack.EVTridiag, n, d, slices.Clone(e), z, n, make([]float64, max(1, 2*n-2))) {
		return errNoConvergence
	}
	for i := range n {
		for j := range n {
			q.Row(i)[j] = z[j*n+i]
		}
	}
	return nil
}
