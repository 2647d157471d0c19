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

// What pivoted Cholesky may leave of the diagonal, in the mean over rows.
const (
	// featureTolerance is for the features of an iteration. Φ and J are off by some ten times as
	// much, relative.
	featureTolerance = 1e-4
	// targetTolerance is for the kernel of targets. It is small, since Γ does not see the constant
	// that most of a flat kernel is.
	targetTolerance = 1e-8
)

// landmarks are the features of a positive semi-definite kernel on a few rows J:
//
//	K ≈ C·Q·Cᵀ      Q = P·Pᵀ = (K_JJ)⁻¹      C = K(·, J)
type landmarks struct {
	tiles   *tiles.Tiles
	rows    *tiles.Rows    // J
	index   []int          // which rows of the pool they are
	project blas64.General // P, r×r
	inverse blas64.General // Q
	left    float64        // the part of K_ii that they leave, in the mean over the pool
	cost    int64          // entries that the choice took
}

// columns returns the number of columns of C; 1 for the column of ones that stands for no landmarks.
func (l *landmarks) columns() int {
	if l == nil {
		return 1
	}
	return len(l.index)
}

// errZero reports that a kernel is zero, which that of distances is to rounding when all of
// them are tiny beside its width.
var errZero = fmt.Errorf("%w: it is zero", errKernel)

var errKernel = errors.New("the kernel of the rows is zero or overflows; scale the rows (`Treatment.Scale standard`), or choose other parameters")

// newLandmarks picks at most so many landmarks from the rows of a pool, by Cholesky factorisation
// with pivoting of their kernel: K_JJ = L·Lᵀ, P = L⁻ᵀ. The next is always the row of which most is
// left in proportion to its diagonal, so that a few large rows do not outweigh the others, down to the
// tolerance. Cost: r·m entries and r²·m flops for m rows.
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
	if next, l.left = mostLeft(f.Left, diagonal); l.left == 0 {
		return nil, errZero
	}
	var work kernelgen.Workspace
	for len(f.Pivots) < min(most, pool.Rows) && l.left > tolerance {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		column := matrix.New(pool.Rows, 1)
		k.FillDense(column, pool, &tiles.Rows{Dense: matrix.Rows(pool, next, 1)}, &work)
		f.Take(next, column.Data)
		next, l.left = mostLeft(f.Left, diagonal)
	}
	l.index = f.Pivots
	l.cost = int64(len(l.index)) * int64(pool.Rows)
	l.rows = &tiles.Rows{Dense: dense.PickRows(pool, l.index)}
	l.project = basis.Inverse(matrix.Transpose(f.Lower()))
	l.inverse = dense.Mul(noTrans, l.project, trans, l.project)
	return l, nil
}

// between returns the kernel entries between rows and the landmarks.
func (l *landmarks) between(ctx context.Context, e stream.Engine, rows blas64.General) (blas64.General, error) {
	return l.tiles.Between(ctx, e, &tiles.Rows{Dense: rows}, l.rows, basis.PanelRows)
}

// mostLeft returns the row of which most is left, in proportion to its diagonal, and the mean
// of what is left over the rows whose diagonal is not 0.
func mostLeft(left, diagonal []float64) (row int, mean float64) {
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
