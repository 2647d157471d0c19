package paper2

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
)

// leadingEigen returns the largest eigenvalues of a symmetric positive semi-definite
// matrix, as far as they are above rounding, and their vectors.
func leadingEigen(a blas64.General, rank int) ([]float64, blas64.General, error) {
	n := a.Rows
	all, vectors, err := symeig.Decompose(a)
	if err != nil {
		return nil, blas64.General{}, err
	}
	var values []float64
	for _, v := range all[:min(rank, n)] {
		if v > 1e-12*all[0] {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, blas64.General{}, fmt.Errorf("a %d×%d matrix is 0: it has no leading vectors", n, n)
	}
	return values, dense.Clone(dense.Columns(vectors, 0, len(values))), nil
}
