package lowrank

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
)

// svd is the singular value decomposition of a matrix of the size of the sketch.
type svd struct{ *dense.SVD }

// newSVD decomposes a small matrix. what is its name in errors.
func newSVD(what string, a blas64.General) (*svd, error) {
	s, err := dense.NewSVD(a)
	switch {
	case errors.Is(err, dense.ErrNotFinite):
		return nil, notFinite(what)
	case err != nil:
		return nil, fmt.Errorf("the SVD of %s did not converge", what)
	}
	return &svd{s}, nil
}

// whitener returns V_r·S_r⁻¹, so that the columns of a·V_r·S_r⁻¹ are orthonormal.
func (s *svd) whitener(r int) blas64.General {
	t := matrix.New(s.V.Rows, r)
	for i := range t.Rows {
		for j := range r {
			t.Data[i*t.Stride+j] = s.V.Data[i*s.V.Stride+j] / s.S[j]
		}
	}
	return t
}

// eigen is the eigendecomposition of a small symmetric matrix, in descending order.
type eigen struct {
	Values  []float64
	Vectors blas64.General
}

// newEigen decomposes the symmetric part of a.
func newEigen(what string, a blas64.General) (*eigen, error) {
	values, vectors, err := symeig.Decompose(dense.SymmetricPart(a))
	switch {
	case errors.Is(err, symeig.ErrNotFinite):
		return nil, notFinite(what)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	dense.FixSigns(blas64.General{}, vectors)
	return &eigen{Values: values, Vectors: vectors}, nil
}

// byOrder returns the indices that sort values in descending order, optionally by modulus.
func byOrder(values []float64, modulus bool) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	if modulus {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(values[j]), math.Abs(values[i])) })
	}
	return order
}

// congruence returns t·diag(w)·tᵀ.
func congruence(t blas64.General, w []float64) blas64.General {
	return dense.Mul(blas.NoTrans, scaledColumns(t, w), blas.Trans, t)
}

// scaledColumns returns m·diag(w) as a new matrix.
func scaledColumns(m blas64.General, w []float64) blas64.General {
	m = matrix.Clone(m)
	dense.ScaleColumns(m, w)
	return m
}

// scaledRows returns diag(w)·m as a new matrix.
func scaledRows(m blas64.General, w []float64) blas64.General {
	m = matrix.Clone(m)
	dense.ScaleRows(m, w)
	return m
}

func notDefinite(k kernelgen.Kernel) error {
	return fmt.Errorf("the matrix of kernel %s is not positive semi-definite: use ssrsvd or subspace", k)
}

func notFinite(what string) error {
	return fmt.Errorf("%s has entries that are not finite: the kernel overflows on these rows; scale the columns (`Treatment.Scale standard`) or use a smaller kernel weight", what)
}
