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

// Why a matrix was not decomposed.
var (
	ErrNotFinite = errors.New("the matrix has numbers that are not finite")
	// ErrNotConverging is of the QR iteration on a leaf, and has never been seen.
	ErrNotConverging = errors.New("the singular values did not converge")
)

// Decompose computes the k = min(rows, columns) singular values of a, descending, and
// the matrices whose columns are the singular vectors: u is rows×k and v columns×k.
// Their signs are as they come.
//
// The residual ‖A − U·diag(σ)·Vᵀ‖ and the values are accurate to a small multiple of
// max(rows, columns)·ε·‖A‖, and U and V are orthonormal to one of max(rows, columns)·ε;
// values below that are rounding. Those of A whose entries are near the limits of
// float64 may be infinite, or lose what is subnormal.
//
// Cost for n×n: 8/3·n³ flops for the reduction, half of them in products of matrices
// with vectors; up to 8/3·n³ for the vectors of the bidiagonal matrix, less the more
// of its values are close to others; 4·n³ to transform them back. 6·n² numbers.
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
	r.left(u)
	r.right(v)
	return u, values, v, nil
}

// largest returns the largest magnitude.
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
