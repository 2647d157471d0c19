package svd

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/conquer"
	"github.com/nystream/nystream/internal/matrix"
)

var (
	ErrNotFinite = errors.New("the matrix has numbers that are not finite")
	// ErrNotConverging is returned if the QR iteration on a leaf fails. That has never been
	// observed.
	ErrNotConverging = errors.New("the singular values did not converge")
)

// Decompose computes the k = min(rows, columns) singular values of a, descending, and the matrices
// whose columns are the singular vectors: u is rows×k and v columns×k. Their signs are arbitrary.
//
// The residual ‖A − U·diag(σ)·Vᵀ‖ and the values are accurate to a small multiple of max(rows,
// columns)·ε·‖A‖, and U and V are orthonormal to a small multiple of max(rows, columns)·ε. Smaller
// values are rounding errors. If entries of A are near the limits of float64, values may be
// infinite or lose digits as subnormal numbers.
//
// Cost for n×n: 8/3·n³ flops for the reduction, half of them in matrix-vector products; up to
// 8/3·n³ for the vectors of the bidiagonal matrix, fewer if values are close to each other; 4·n³ to
// transform them back. Memory: 6·n² numbers.
func Decompose(a blas64.General) (u blas64.General, values []float64, v blas64.General, err error) {
	if a.Rows < a.Cols {
		v, values, u, err = Decompose(matrix.Transpose(a))
		return u, values, v, err
	}
	n := a.Cols
	if n == 0 {
		return matrix.New(a.Rows, 0), nil, matrix.New(0, 0), nil
	}
	r, err := reduce(a)
	if err != nil {
		return u, nil, v, err
	}
	left, right, err := vectorsOf(r.d, r.e)
	if err != nil {
		return u, nil, v, err
	}
	order := conquer.Numbered(n)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.d[j], r.d[i]) })
	values = make([]float64, n)
	for j, from := range order {
		values[j] = r.d[from] * r.unit
	}
	u, v = matrix.New(a.Rows, n), matrix.New(n, n)
	left.Columns(order, u)
	right.Columns(order, v)
	r.applyLeft(u)
	r.applyRight(v)
	return u, values, v, nil
}

// largest returns the largest magnitude. It returns ErrNotFinite for a NaN or an infinity.
func largest(a blas64.General) (float64, error) {
	most := 0.0
	for i := range a.Rows {
		for _, v := range matrix.Row(a, i) {
			if !matrix.IsFinite(v) {
				return 0, ErrNotFinite
			}
			most = math.Max(most, math.Abs(v))
		}
	}
	return most, nil
}
