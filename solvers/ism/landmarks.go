package ism

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/pivoted"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

const (
	noTrans = blas.NoTrans
	trans   = blas.Trans
)

const (
	// landmarkTolerance is the part of the diagonal that pivoted Cholesky may leave, in
	// the mean over rows. It is small, since Γ does not see the constant that most of a
	// flat kernel is.
	landmarkTolerance = 1e-8
	// The features of spectral embeddings, of which the leading vectors are wanted: what
	// they may leave, and how many there may be at least.
	embeddingTolerance = 1e-6
	embeddingLandmarks = 300
	// indefiniteTolerance is the eigenvalue, relative to the largest in magnitude, below
	// which those of kernels that are not known to be positive are left out.
	indefiniteTolerance = 1e-8
)

// landmarks are the features of a kernel on a few rows J:
//
//	K ≈ C·Q·Cᵀ      Q = P·diag(signs)·Pᵀ = (K_JJ)⁺      C = K(·, J)
type landmarks struct {
	entries
	marks   points         // packed
	index   []int          // which rows of the pool they are
	project blas64.General // P, r×s
	signs   []float64      // s of them; all 1 if K is positive semi-definite
	inverse blas64.General // Q
	left    float64        // the part of K_ii that they leave, in the mean over the pool
	cost    int64          // entries that the choice took
}

// newLandmarks picks at most so many landmarks from the points of a pool.
func newLandmarks(ctx context.Context, e stream.Engine, k entries, pool points, most int, tolerance float64) (*landmarks, error) {
	l := &landmarks{entries: k}
	find := l.pivoted
	if !k.psd {
		find = l.indefinite
	}
	if err := find(ctx, e, pool, min(most, pool.x.Rows), tolerance); err != nil {
		return nil, err
	}
	l.marks = k.pack(pool.at(l.index))
	signed := dense.Clone(l.project)
	for i := range signed.Rows {
		for j, s := range l.signs {
			signed.Data[i*signed.Stride+j] *= s
		}
	}
	l.inverse = dense.Mul(noTrans, signed, trans, l.project)
	return l, nil
}

// errZero reports that a kernel is zero, which that of distances is to rounding when all of
// them are tiny beside its width.
var errZero = fmt.Errorf("%w: it is zero", errKernel)

var errKernel = errors.New("ism: the kernel of the rows is zero or overflows; scale the rows (`scale standard`), or choose other parameters")

// pivoted picks landmarks by Cholesky factorisation with pivoting of the kernel of the
// pool, the next always the row of which most is left in proportion to its diagonal, so
// that a few large rows do not outweigh the others, down to the tolerance: K_JJ = L·Lᵀ,
// P = L⁻ᵀ. Cost: r·m entries and r²·m flops for m points.
func (l *landmarks) pivoted(ctx context.Context, _ stream.Engine, pool points, most int, tolerance float64) error {
	diagonal := make([]float64, pool.x.Rows)
	l.diagonal(diagonal, pool)
	for _, v := range diagonal {
		if v-v != 0 || v < 0 {
			return errKernel
		}
	}
	f := pivoted.New(pivoted.NewRelative(diagonal, 1e-13))
	var next int
	if next, l.left = mostLeft(f.Left, diagonal); l.left == 0 {
		return errZero
	}
	var work kernelgen.Workspace
	for len(f.Pivots) < most && l.left > tolerance {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		column := stream.NewMatrix(pool.x.Rows, 1)
		l.fill(column, pool, l.pack(pool.at([]int{next})), &work)
		f.Take(next, column.Data)
		next, l.left = mostLeft(f.Left, diagonal)
	}
	l.index = f.Pivots
	r := len(l.index)
	l.cost = int64(r) * int64(pool.x.Rows)
	l.project = stream.NewMatrix(r, r)
	for i := range r {
		l.project.Data[i*r+i] = 1
		l.signs = append(l.signs, 1)
	}
	upper := dense.Transpose(f.Lower())
	blas64.Trsm(blas.Left, noTrans, 1, blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: r, Stride: r, Data: upper.Data}, l.project)
	return nil
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

// indefinite takes the first points of the pool, which are in random order, and the
// pseudo-inverse of their kernel by its eigenvalues of either sign.
func (l *landmarks) indefinite(ctx context.Context, e stream.Engine, pool points, most int, tolerance float64) error {
	l.index = l.index[:0]
	for i := range most {
		l.index = append(l.index, i*pool.x.Rows/most)
	}
	marks := l.pack(pool.at(l.index))
	k, err := l.between(ctx, e, marks, marks)
	if err != nil {
		return err
	}
	if !dense.Finite(k) || dense.MaxAbs(k) == 0 {
		return errKernel
	}
	k = dense.SymmetricPart(k)
	eig, err := newEigen(k)
	if err != nil {
		return err
	}
	largest := math.Max(eig.values[0], -eig.values[most-1])
	var keep []int
	for j, v := range eig.values {
		if math.Abs(v) > math.Max(tolerance, indefiniteTolerance)*largest {
			keep = append(keep, j)
			l.signs = append(l.signs, math.Copysign(1, v))
		}
	}
	l.project = stream.NewMatrix(most, len(keep))
	for i := range most {
		for s, j := range keep {
			l.project.Data[i*l.project.Stride+s] = eig.vectors.Data[i*eig.vectors.Stride+j] / math.Sqrt(math.Abs(eig.values[j]))
		}
	}
	l.cost = int64(most) * int64(most+pool.x.Rows)
	l.left, err = l.unexplained(ctx, e, pool, marks)
	return err
}

// unexplained returns Σ|K_ii − K̂_ii|/Σ|K_ii| on the pool.
func (l *landmarks) unexplained(ctx context.Context, e stream.Engine, pool, marks points) (float64, error) {
	m := pool.x.Rows
	diagonal := make([]float64, m)
	l.diagonal(diagonal, pool)
	c, err := l.between(ctx, e, pool, marks)
	if err != nil {
		return 0, err
	}
	f := dense.Mul(noTrans, c, noTrans, l.project)
	off, total := 0.0, 0.0
	for i, v := range diagonal {
		total += math.Abs(v)
		for j, x := range dense.Row(f, i) {
			v -= l.signs[j] * x * x
		}
		off += math.Abs(v)
	}
	if total == 0 {
		return math.NaN(), nil
	}
	return off / total, nil
}

// features returns C·P of rows in memory, n×s.
func (l *landmarks) features(ctx context.Context, e stream.Engine, x blas64.General) (blas64.General, error) {
	return stream.MapRows(ctx, e, "features", stream.FromMatrix("rows", x), l.project.Cols, func() func(blas64.General, *stream.Block) error {
		c := stream.NewMatrix(stream.PanelRows, len(l.index))
		var work kernelgen.Workspace
		return func(dst blas64.General, b *stream.Block) error {
			for first, rows := range b.Panels(stream.PanelRows) {
				tile := stream.RowSlice(c, 0, rows.Rows)
				l.fill(tile, points{x: rows}, l.marks, &work)
				dense.Gemm(noTrans, noTrans, 1, tile, l.project, 0, stream.RowSlice(dst, first, rows.Rows))
			}
			return nil
		}
	})
}
