package basis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// Dependence is the pivot below which a landmark depends on earlier ones, relative to the largest k(x, x) of the
// landmarks.
const Dependence = 1e-13

// RankTolerance is the smallest singular value of a sketch that is kept, relative to the largest. Smaller ones are
// rounding errors of the kernel entries.
const RankTolerance = 1e-12

// ridges are tried in turn. They are relative to the trace of K(J, J); the first is about its rounding error.
var ridges = []float64{4 * 0x1p-52, 64 * 0x1p-52, 1024 * 0x1p-52}

// ErrNotDefinite reports that K(J, J) is not positive semi-definite.
var ErrNotDefinite = errors.New("the kernel between landmarks is not positive semi-definite")

// Whiten returns U with UᵀU = K(J, J) + ridge·I, and the independent landmarks, by pivoted Cholesky. The features k(x,
// J)·U⁻¹ are coordinates in an orthonormal basis of the span of the landmarks. It fails with [ErrNotDefinite]. Cost: ℓ²
// kernel entries and about ℓ³ flops.
func Whiten(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, landmarks *Panel) (kept *Panel, u blas64.General, err error) {
	w, err := t.RawEntries(ctx, e, landmarks.Cols, landmarks.Cols, PanelRows)
	if err != nil {
		return nil, w, err
	}
	largest, order := 0.0, make([]int, w.Rows)
	for i := range w.Rows {
		largest = math.Max(largest, matrix.Row(w, i)[i])
	}
	_, rank, _ := lapack64.Pstrf(Symmetric(matrix.Clone(w)), order, Dependence*largest, make([]float64, 2*w.Rows))
	if rank < w.Rows {
		independent := slices.Sorted(slices.Values(order[:max(1, rank)]))
		order := landmarks.Order
		landmarks, w = landmarks.Pick(independent), dense.PickRows(dense.PickColumns(w, independent), independent)
		landmarks.Order = order
	}
	scale := dense.Trace(w)
	if scale == 0 {
		scale = 1
	}
	for _, ridge := range ridges {
		u = matrix.Clone(w)
		for i := range u.Rows {
			matrix.Row(u, i)[i] += ridge * scale
		}
		if _, ok := lapack64.Potrf(Symmetric(u)); ok {
			return landmarks, u, nil
		}
	}
	return nil, u, ErrNotDefinite
}

// Orthonormaliser returns T such that A·T is orthonormal up to rounding, where R is the triangular factor of A. It also
// returns the condition number of the columns of A that T combines. T is R⁻¹, or has fewer columns: then it is the
// inverse of the part of R that QR with column pivoting finds independent to the tolerance. It fails with
// [ErrNotFinite].
func Orthonormaliser(r blas64.General, tolerance float64) (t blas64.General, condition float64, err error) {
	if !dense.Finite(r) {
		return t, 0, ErrNotFinite
	}
	if condition := Condition(r); condition <= 0.1/tolerance {
		return Inverse(r), condition, nil
	}
	pivoted, order := pivotedFactor(r)
	rank := 0
	for rank < pivoted.Rows && math.Abs(matrix.Row(pivoted, rank)[rank]) > tolerance*math.Abs(pivoted.Data[0]) {
		rank++
	}
	pivoted = matrix.Columns(matrix.Rows(pivoted, 0, rank), 0, rank)
	inverse := Inverse(pivoted)
	t = matrix.New(r.Rows, rank)
	for j := range rank {
		copy(matrix.Row(t, order[j]), matrix.Row(inverse, j))
	}
	return t, Condition(pivoted), nil
}

// ErrNotFinite reports entries that are not finite: the kernel overflows.
var ErrNotFinite = errors.New("entries that are not finite")

// pivotedFactor returns the triangular factor of QR with column pivoting of a triangular matrix. Its column j is column
// order[j] of the matrix.
func pivotedFactor(factor blas64.General) (r blas64.General, order []int) {
	n := factor.Rows
	r, order = matrix.Clone(factor), slices.Repeat([]int{-1}, n) // -1 lets every column be exchanged
	if n == 0 {
		return r, order
	}
	tau, size := make([]float64, n), make([]float64, 1)
	var l gonum.Implementation
	l.Dgeqp3(n, n, r.Data, r.Stride, order, tau, size, -1)
	l.Dgeqp3(n, n, r.Data, r.Stride, order, tau, make([]float64, int(size[0])), int(size[0]))
	return r, order
}

// Condition estimates the condition number of an upper triangular matrix in the 1-norm, which is within a factor of n
// of the 2-norm. It is +Inf if the matrix is singular.
func Condition(r blas64.General) float64 {
	if r.Rows == 0 {
		return 1
	}
	for i := range r.Rows {
		if matrix.Row(r, i)[i] == 0 {
			return math.Inf(1)
		}
	}
	return 1 / lapack64.Trcon(lapack.MaxColumnSum, Upper(r), make([]float64, 3*r.Rows), make([]int, r.Rows))
}

// Inverse returns R⁻¹ of an upper triangular matrix.
func Inverse(r blas64.General) blas64.General {
	t := matrix.New(r.Rows, r.Rows)
	for i := range r.Rows {
		matrix.Row(t, i)[i] = 1
	}
	if r.Rows > 0 {
		blas64.Trsm(blas.Left, blas.NoTrans, 1, Upper(r), t)
	}
	return t
}

// Upper returns the upper triangle of a square matrix.
func Upper(r blas64.General) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r.Rows, Stride: r.Stride, Data: r.Data}
}

// Symmetric returns the symmetric matrix stored in an upper triangle.
func Symmetric(m blas64.General) blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Upper, N: m.Rows, Stride: m.Stride, Data: m.Data}
}

// ChooseScale scales the entries of tiles by a power of two if the largest entry between rows and a panel is above
// 1e100 or below 1e-100. It fails if an entry is not finite.
func ChooseScale(ctx context.Context, e stream.Engine, t *tiles.Tiles, rows blas64.General, p *Panel) error {
	ofRows := make([]float64, rows.Rows)
	err := t.Each(ctx, e, &tiles.Rows{Dense: rows}, p.Cols, PanelRows, func(first int, tile blas64.General) error {
		for i := range tile.Rows {
			for _, v := range matrix.Row(tile, i) {
				ofRows[first+i] = max(ofRows[first+i], math.Abs(v)) // NaN propagates
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	largest := 0.0
	for _, v := range ofRows {
		largest = max(largest, v)
	}
	if !matrix.IsFinite(largest) {
		return fmt.Errorf("kernel %s gives %v between rows of this data: scale the columns (`Treatment.Scale standard`) or lower the kernel's weight", t.Kernel, largest)
	}
	if scale := tiles.ScaleFor(largest); scale != 1 {
		t.SetScale(scale)
	}
	return nil
}
