package lssvm

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// primal solves the problem in w and b. With X and y less their column means the
// bias drops out:
//
//	(XᵀX + I/γ)·w = Xᵀy        b = ȳ − wᵀx̄
//
// and both products come from the scatter matrix of the columns of X and y.
func primal(ctx context.Context, e stream.Engine, src stream.Source, gamma float64, y *targets) (*Model, error) {
	info := src.Info()
	d := len(info.Columns)
	sum, err := stream.Fold(ctx, e, "least squares", src, func() *scatter { return newScatter(d + y.cols) },
		func() func(acc *scatter, b *stream.Block) error {
			var room blas64.General
			return func(acc *scatter, b *stream.Block) error {
				if room.Rows < b.X.Rows {
					room = stream.NewMatrix(b.X.Rows, d+y.cols)
				}
				z := stream.RowSlice(room, 0, b.X.Rows)
				if err := withTargets(z, info, b, y); err != nil {
					return err
				}
				if err := acc.setBlock(z); err != nil {
					return fmt.Errorf("%s: rows from %d on, less their mean: %w", info.Name, b.Start, err)
				}
				return nil
			}
		})
	if err != nil {
		return nil, err
	}
	if sum.rows != int64(y.rows) {
		return nil, rowsError(info, sum.rows, y)
	}
	gram := sum.gram.Matrix()
	right := stream.NewMatrix(d, y.cols)
	for i := range d {
		copy(dense.Row(right, i), dense.Row(gram, i)[d:])
	}
	gram.Rows, gram.Cols = d, d
	weights, err := solveRidge(gram, right, gamma)
	if err != nil {
		return nil, err
	}
	return newModel(weights, sum.mean[:d], sum.mean[d:]), nil
}

// withTargets puts the rows of a block, and their targets behind them, into z.
func withTargets(z blas64.General, info stream.Info, b *stream.Block, y *targets) error {
	if err := model.CheckRows(info, b.X, b.Start); err != nil {
		return err
	}
	if last := b.Start + int64(b.X.Rows); last > int64(y.rows) {
		return rowsError(info, last, y)
	}
	d := b.X.Cols
	for i := range b.X.Rows {
		r := dense.Row(z, i)
		copy(r, dense.Row(b.X, i))
		y.fill(r[d:], int(b.Start)+i)
	}
	return nil
}

// solveRidge solves (gram + I/γ)·x = right. It overwrites the diagonal of gram.
func solveRidge(gram, right blas64.General, gamma float64) (blas64.General, error) {
	n := gram.Rows
	for i := range n {
		gram.Data[i*gram.Stride+i] += 1 / gamma
	}
	var f mat.Cholesky
	var x mat.Dense
	ok := f.Factorize(mat.NewSymDense(n, tight(gram).Data))
	if !ok {
		return blas64.General{}, conditionError(gamma)
	}
	rhs := &mat.Dense{}
	rhs.SetRawMatrix(right)
	if err := f.SolveTo(&x, rhs); err != nil {
		return blas64.General{}, fmt.Errorf("%w (%v)", conditionError(gamma), err)
	}
	weights := x.RawMatrix()
	if err := sketch.CheckFinite(weights); err != nil {
		return weights, fmt.Errorf("lssvm: the weights overflow: scale the features or the targets")
	}
	return weights, nil
}

func conditionError(gamma float64) error {
	return fmt.Errorf("lssvm: the system is singular to rounding at gamma = %v: the features are dependent and too large for it; take a smaller gamma, or scale the features down", gamma)
}

// tight returns m without space between its rows.
func tight(m blas64.General) blas64.General {
	if m.Stride == m.Cols {
		return m
	}
	return dense.Clone(m)
}

// newModel adds the bias that belongs to the weights, ȳ − wᵀx̄.
func newModel(weights blas64.General, meanX, meanY []float64) *Model {
	bias := append([]float64(nil), meanY...)
	for i, m := range meanX {
		for k, w := range dense.Row(weights, i) {
			bias[k] -= w * m
		}
	}
	return &Model{Weights: weights, Bias: bias}
}
