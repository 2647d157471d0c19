package ksvd

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
)

// Residuals measure the triplets that a fit has found, but not a singular direction of G that it missed. Therefore the
// fit also decomposes the weighted block of G between landmarks and held-back rows, which has more rows than the
// landmarks alone. It compares the leading directions of the block with U and V.

// Directions compares the spans of U and V with the leading singular vectors u_i and v_i of G.
type Directions struct {
	// Checked is the number of directions compared: the rank, at most 64, without those with values below 1e-3 of the
	// largest.
	Checked int
	// Missed is the number of directions with less than half of their squared length in the span of U, or of V.
	Missed int
	// Error is η of the paper (Section 5.3) for subspaces: Σ w_i·(1 − ‖P_U·u_i‖) + Σ w_i·(1 − ‖P_V·v_i‖). The weights
	// w_i are proportional to the singular values and sum to 1. It is 0 if all directions are found, and 2 if none is.
	Error float64
}

const (
	checkedDirections  = 64
	directionTolerance = 1e-4 // for residuals, relative to the largest value
	leastDirection     = 1e-3 // relative to the largest value
)

// compare estimates the norms of G − UΣVᵀ and finds missing directions of G. g is G between the rows and columns, and u
// and v are the vectors on them.
func (f *nystrom) compare(ctx context.Context, out *estimates, g, u, v blas64.General, values []float64, rows, cols *strata) error {
	block, u, v := matrix.Clone(g), matrix.Clone(u), matrix.Clone(v)
	dense.ScaleRows(block, dense.Roots(rows.weights))
	dense.ScaleColumns(block, dense.Roots(cols.weights))
	dense.ScaleRows(u, dense.Roots(rows.weights))
	dense.ScaleRows(v, dense.Roots(cols.weights))
	truth, err := truncatedSVD(ctx, block, min(f.Rank, checkedDirections), directionTolerance, f.Seed)
	if err != nil || len(truth.Values) == 0 {
		return err
	}
	if out.directions, err = newDirections(truth, u, v); err != nil {
		return err
	}
	all := dense.Frobenius(block)
	scaled := matrix.Clone(u)
	dense.ScaleColumns(scaled, values)
	dense.Gemm(blas.NoTrans, blas.Trans, -1, scaled, v, 1, block)
	out.frobenius = dense.Frobenius(block) / all
	if out.frobenius <= roundingError {
		out.spectral = dense.Frobenius(block) / truth.Values[0]
		return nil
	}
	rest, err := truncatedSVD(ctx, block, 1, normTolerance, f.Seed)
	if err == nil {
		out.spectral = rest.Values[0] / truth.Values[0]
	}
	return err
}

// newDirections compares vectors with the true triplets.
func newDirections(truth *krylov.Triplets, u, v blas64.General) (d Directions, err error) {
	sum := 0.0
	for d.Checked < len(truth.Values) && truth.Values[d.Checked] >= leastDirection*truth.Values[0] {
		sum += truth.Values[d.Checked]
		d.Checked++
	}
	left, err := projectionLengths(u, matrix.Columns(truth.U, 0, d.Checked))
	if err != nil {
		return d, err
	}
	right, err := projectionLengths(v, matrix.Columns(truth.V, 0, d.Checked))
	if err != nil {
		return d, err
	}
	for i := range d.Checked {
		d.Error += truth.Values[i] / sum * (2 - left[i] - right[i])
		if least := math.Min(left[i], right[i]); least*least < 0.5 {
			d.Missed++
		}
	}
	return d, nil
}

// projectionLengths returns the lengths of the projections of unit vectors onto the span of the columns of u.
func projectionLengths(u, unit blas64.General) ([]float64, error) {
	scaled := matrix.Clone(u)
	dense.ScaleColumns(scaled, dense.Reciprocals(norms(scaled)))
	span := krylov.NewBasis(u.Rows, 0, min(u.Rows, u.Cols))
	if u.Cols > 0 {
		if _, err := span.Add(scaled, u.Cols, rankTolerance); err != nil {
			return nil, err
		}
	}
	if span.Cols() == 0 {
		return make([]float64, unit.Cols), nil
	}
	part := dense.ColumnNorms(dense.Mul(blas.Trans, span.Vectors(), blas.NoTrans, unit))
	for i, v := range part {
		part[i] = math.Min(1, v)
	}
	return part, nil
}
