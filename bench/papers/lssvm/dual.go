package lssvm

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// dual solves the problem in the n multipliers α, for fewer rows than columns.
// With X and y less their column means the bias drops out, and so does the
// constraint Σα = 0, which then holds by itself:
//
//	(XXᵀ + I/γ)·α = y        w = Xᵀα        b = ȳ − wᵀx̄
func dual(ctx context.Context, e stream.Engine, src stream.Source, gamma float64, y *targets) (*Model, error) {
	info := src.Info()
	d := len(info.Columns)
	z := stream.NewMatrix(y.rows, d+y.cols)
	rows := int64(0)
	err := stream.Map(ctx, e, "least squares", src, d+y.cols, false,
		func() func(dst blas64.General, b *stream.Block) error {
			return func(dst blas64.General, b *stream.Block) error { return withTargets(dst, info, b, y) }
		},
		func(b *stream.Block, out blas64.General) error {
			rows += int64(out.Rows)
			blockCopy(stream.RowSlice(z, int(b.Start), out.Rows), out)
			return nil
		})
	if err != nil {
		return nil, err
	}
	if rows != int64(y.rows) {
		return nil, rowsError(info, rows, y)
	}
	mean := columnMeans(z)
	centre(z, mean)
	x, targets := dense.Columns(z, 0, d), dense.Clone(dense.Columns(z, d, y.cols))
	gram := dense.Mul(blas.NoTrans, x, blas.Trans, x)
	if err := sketch.CheckFinite(gram); err != nil {
		return nil, fmt.Errorf("%s: the inner products of the rows overflow: scale the features down", info.Name)
	}
	alpha, err := solveRidge(gram, targets, gamma)
	if err != nil {
		return nil, err
	}
	weights := dense.Mul(blas.Trans, x, blas.NoTrans, alpha)
	return newModel(weights, mean[:d], mean[d:]), nil
}

func blockCopy(dst, src blas64.General) {
	for i := range src.Rows {
		copy(dense.Row(dst, i), dense.Row(src, i))
	}
}
