package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// CholeskyQR returns the thin factorisation A = QR of a matrix with at least as many rows as
// columns: Q is rows×cols with orthonormal columns, R is upper triangular with no negative diagonal
// entry. Both are new; A is not changed.
//
// It is CholeskyQR2 (Y. Yamamoto, Y. Nakatsukasa, Y. Yanagisawa and T. Fukaya 2015, "Roundoff error
// analysis of the CholeskyQR2 algorithm") with as many rounds as needed: W ← W·U⁻¹ for a Cholesky
// factor U of WᵀW, shifted if necessary, until ‖WᵀW − I‖ ≤ ½ in the Frobenius norm, and once more.
// Then both the residual and the loss of orthogonality are a small multiple of ε, whatever the
// condition number of A: the bound is checked on W, not assumed. It costs 4·rows·cols² operations
// up to condition numbers of about 1e7 and 6·rows·cols² up to 1e15. A numerically rank-deficient
// matrix, or one whose squares leave the range of float64, is factorised by Householder
// reflections.
//
// CholeskyQR returns a [*NonFiniteError] for a non-finite entry, and an error if R overflows. It
// panics if there are fewer rows than columns, or no columns.
func CholeskyQR(a blas64.General) (q, r blas64.General, err error) {
	if a.Cols < 1 || a.Rows < a.Cols {
		panic(fmt.Sprintf("sketch: CholeskyQR of a %d×%d matrix", a.Rows, a.Cols))
	}
	s := borrow()
	defer s.giveBack()
	ok := false
	if simd.Active() != simd.Go { // reflections are faster in plain Go
		q, ok = s.cholesky.orthonormalise(a)
	}
	if ok {
		r = matrix.New(a.Cols, a.Cols)
		copyUpper(r, s.cholesky.p.General())
	} else {
		if err := CheckFinite(a); err != nil {
			return q, r, err
		}
		q, r = reflections(a)
	}
	return q, r, checkOverflow("R factor", r)
}

// orthonormalise returns the factor Q of a, and sets p to R.
func (c *cholesky) orthonormalise(a blas64.General) (q blas64.General, ok bool) {
	var w simd.Padded
	w.Reset(a.Rows, a.Cols)
	c.reset(a.Cols)
	c.setIdentity()
	sweepRows(&w, func(chunk *simd.Padded, first int) {
		for i := range chunk.Rows() {
			chunk.SetRow(i, 0, matrix.Row(a, first+i))
		}
		simd.Gram(&c.g, chunk, first > 0)
	})
	for range maxRounds {
		if !matrix.IsFinite(c.trace()) || !c.precondition() {
			return q, false
		}
		multiplyUpper(&c.p, &c.u)
		if !c.solver.Prepare(&c.u) {
			return q, false
		}
		sweepRows(&w, func(chunk *simd.Padded, first int) {
			c.solver.Solve(chunk)
			simd.Gram(&c.g, chunk, first > 0)
		})
		if c.nearIdentity() {
			if !c.finish() || !c.solver.Prepare(&c.g) {
				return q, false
			}
			sweepRows(&w, func(chunk *simd.Padded, _ int) { c.solver.Solve(chunk) })
			return w.General(), true
		}
	}
	return q, false
}

// sweepRows calls visit with consecutive chunks of rows of w that fit in cache.
func sweepRows(w *simd.Padded, visit func(chunk *simd.Padded, first int)) {
	n := chunkRows(w.Cols())
	for first := 0; first < w.Rows(); first += n {
		chunk := w.Slice(first, min(first+n, w.Rows()))
		visit(&chunk, first)
	}
}

// reflections factorises a by Householder reflections and returns its thin factors.
func reflections(a blas64.General) (q, r blas64.General) {
	whole, r := matrix.Clone(a), matrix.New(a.Cols, a.Cols)
	reflectors := householder.QR(whole)
	copyUpper(r, whole)
	q = reflectors.Thin()
	for j := range a.Cols {
		if matrix.Row(r, j)[j] < 0 {
			negateColumn(q, j)
		}
	}
	makeDiagonalPositive(r)
	return q, r
}

func negateColumn(m blas64.General, j int) {
	for i := range m.Rows {
		matrix.Row(m, i)[j] = -matrix.Row(m, i)[j]
	}
}
