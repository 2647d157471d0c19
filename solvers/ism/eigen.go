package ism

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/internal/linalg/symeig"
)

// eigen is the eigendecomposition of a symmetric matrix: eigenvalues descending, eigenvectors in the columns.
type eigen struct {
	values  []float64
	vectors blas64.General
}

// newEigen computes all eigenpairs of a symmetric matrix.
func newEigen(a blas64.General) (*eigen, error) {
	values, vectors, err := symeig.Decompose(a)
	return &eigen{values, vectors}, err
}

// first keeps the first k pairs.
func (e *eigen) first(k int) *eigen {
	k = min(k, len(e.values))
	return &eigen{e.values[:k], matrix.Clone(matrix.Columns(e.vectors, 0, k))}
}
