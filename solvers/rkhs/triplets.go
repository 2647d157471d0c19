package rkhs

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// triplets are singular values and singular functions in orthonormal bases: all of
// them that are not rounding.
type triplets struct {
	u, v   blas64.General
	values []float64
}

const (
	// rankTolerance is the part of the first value at or below which values are rounding.
	rankTolerance = 1e-12
	// roundingTolerance is the part of the product of the norms of its factors at or
	// below which a value of a product is rounding.
	roundingTolerance = 1e-15
)

// errZeroOperator reports that there is nothing to decompose.
func errZeroOperator(op Operator) error {
	return fmt.Errorf("operator %s is zero to rounding: x and y do not depend on each other to these kernels", op)
}

// newTriplets decomposes S in orthonormal bases (paper, Corollary 3.5).
func newTriplets(op Operator, p Matrix) (*triplets, error) {
	d, err := dense.NewSVD(p.General)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w; raise `ridge` or scale the columns (`scale standard`)", op, err)
	}
	r := dense.Rank(d.S, rankTolerance)
	for r > 0 && d.S[r-1] <= roundingTolerance*p.Size {
		r--
	}
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	return &triplets{dense.Columns(d.U, 0, r), dense.Columns(d.V, 0, r), d.S[:r]}, nil
}

// residuals returns the larger of ‖Sv−σu‖ and ‖S*u−σv‖ for the first r triplets, relative to
// the first σ.
func (t *triplets) residuals(s blas64.General, r int) []float64 {
	forth, back := mul(s, t.v), dense.Mul(blas.Trans, s, blas.NoTrans, t.u)
	out := make([]float64, r)
	for j := range out {
		off := math.Max(columnDistance(forth, t.u, t.values[j], j), columnDistance(back, t.v, t.values[j], j))
		out[j] = off / t.values[0]
	}
	return out
}

// columnDistance returns ‖a_j − σ·b_j‖.
func columnDistance(a, b blas64.General, sigma float64, j int) float64 {
	d := make([]float64, a.Rows)
	for i := range d {
		d[i] = a.Data[i*a.Stride+j] - sigma*b.Data[i*b.Stride+j]
	}
	return dense.Norm(d)
}
