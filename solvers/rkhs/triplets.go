package rkhs

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
)

// triplets holds all singular values above rounding, and their singular functions in orthonormal bases.
type triplets struct {
	u, v   blas64.General
	values []float64
}

const (
	// rankTolerance is the smallest value that is not rounding, relative to the first.
	rankTolerance = 1e-12
	// roundingTolerance is the smallest value of a product that is not rounding, relative to the product of the norms
	// of its factors.
	roundingTolerance = 1e-15
)

// errZeroOperator reports an operator that is zero.
func errZeroOperator(op Operator) error {
	return fmt.Errorf("operator %s is zero to rounding: x and y do not depend on each other to these kernels", op)
}

// newTriplets decomposes S in orthonormal bases (paper, Corollary 3.5).
func newTriplets(op Operator, p Matrix) (*triplets, error) {
	d, err := dense.NewSVD(p.General)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w; raise `Ridge` or scale the columns (`Treatment.Scale standard`)",
			op, err)
	}
	r := dense.Rank(d.S, rankTolerance)
	for r > 0 && d.S[r-1] <= roundingTolerance*p.Size {
		r--
	}
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	return &triplets{matrix.Columns(d.U, 0, r), matrix.Columns(d.V, 0, r), d.S[:r]}, nil
}

// residuals returns the larger of ‖Sv−σu‖ and ‖S*u−σv‖ for the first r triplets, relative to
// the first σ.
func (t *triplets) residuals(s blas64.General, r int) []float64 {
	u, v := matrix.Columns(t.u, 0, r), matrix.Columns(t.v, 0, r)
	out := krylov.Residuals(multiply(s, v), u, t.values[:r], t.values[0])
	for j, off := range krylov.Residuals(transposedTimes(s, u), v, t.values[:r], t.values[0]) {
		out[j] = math.Max(out[j], off)
	}
	return out
}
