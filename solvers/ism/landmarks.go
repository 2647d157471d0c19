package ism

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/pivoted"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

const (
	noTrans = blas.NoTrans
	trans   = blas.Trans
)

// Tolerances of pivoted Cholesky, for the mean residual diagonal.
const (
	// featureTolerance is for the features of an iteration. The relative error of Φ and J is about ten times as large.
	featureTolerance = 1e-4
	// targetTolerance is for the kernel of targets. It is small because Γ removes the constant, which dominates a flat
	// kernel.
	targetTolerance = 1e-8
)

// landmarks are the features of a positive semi-definite kernel on a few rows J:
//
//	K ≈ C·Q·Cᵀ      Q = P·Pᵀ = (K_JJ)⁻¹      C = K(·, J)
type landmarks struct {
	tiles        *tiles.Tiles
	rows         *tiles.Rows    // J
	index        []int          // indices in the pool
	project      blas64.General // P, r×r
	inverse      blas64.General // Q
	meanResidual float64        // mean residual fraction of K_ii over the pool
	entries      int64          // entries evaluated for the choice
}

// columns returns the number of columns of C. A nil l stands for a single column of ones.
func (l *landmarks) columns() int {
	if l == nil {
		return 1
	}
	return len(l.index)
}

// errZero reports a zero kernel. A kernel of distances is zero up to rounding if all distances are tiny relative to its
// width.
var errZero = fmt.Errorf("%w: it is zero", errKernel)

var errKernel = errors.New("the kernel of the rows is zero or overflows; scale the rows (`Treatment.Scale standard`), or choose other parameters")

// newLandmarks selects landmarks from the rows of a pool by pivoted Cholesky factorisation of their kernel: K_JJ =
// L·Lᵀ, P = L⁻ᵀ. Each pivot has the largest residual relative to its diagonal, so a few large rows do not dominate. It
// stops at most landmarks or at the tolerance. Cost: r·m entries and r²·m flops for m rows.
func newLandmarks(ctx context.Context, k *tiles.Tiles, pool blas64.General, most int, tolerance float64) (*landmarks, error) {
	l := &landmarks{tiles: k}
	diagonal := make([]float64, pool.Rows)
	k.Diagonal(diagonal, pool)
	for _, v := range diagonal {
		if !matrix.IsFinite(v) || v < 0 {
			return nil, errKernel
		}
	}
	f := pivoted.New(pivoted.NewRelative(diagonal, 1e-13))
	var next int
	if next, l.meanResidual = largestResidual(f.Left, diagonal); l.meanResidual == 0 {
		return nil, errZero
	}
	var work kernelgen.Workspace
	for len(f.Pivots) < min(most, pool.Rows) && l.meanResidual > tolerance {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		column := matrix.New(pool.Rows, 1)
		k.FillDense(column, pool, &tiles.Rows{Dense: matrix.Rows(pool, next, 1)}, &work)
		f.Take(next, column.Data)
		next, l.meanResidual = largestResidual(f.Left, diagonal)
	}
	l.index = f.Pivots
	l.entries = int64(len(l.index)) * int64(pool.Rows)
	l.rows = &tiles.Rows{Dense: dense.PickRows(pool, l.index)}
	l.project = basis.Inverse(matrix.Transpose(f.Lower()))
	l.inverse = dense.Mul(noTrans, l.project, trans, l.project)
	return l, nil
}

// between returns the kernel entries between rows and the landmarks.
func (l *landmarks) between(ctx context.Context, e stream.Engine, rows blas64.General) (blas64.General, error) {
	return l.tiles.RawEntries(ctx, e, &tiles.Rows{Dense: rows}, l.rows, basis.PanelRows)
}

// largestResidual returns the row with the largest residual relative to its diagonal, and the mean relative residual
// over the rows with a positive diagonal.
func largestResidual(left, diagonal []float64) (row int, mean float64) {
	rows := 0.0
	for _, d := range diagonal {
		if d > 0 {
			rows++
		}
	}
	most := 0.0
	for i, v := range left {
		if v > 0 { // so are rows
			mean += v / rows
		}
		if v > most {
			row, most = i, v
		}
	}
	return row, mean
}
