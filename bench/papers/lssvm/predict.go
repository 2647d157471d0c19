package lssvm

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Decide computes the decisions for rows x (B×d) in dst (B × classes or targets):
// for a classifier about 1 for the class and −1 for the others, for a regression
// the predicted targets. Cost 2·B·d·k flops.
func (m *Model) Decide(dst, x blas64.General) {
	if x.Cols != m.Weights.Rows || dst.Cols != m.Weights.Cols || dst.Rows != x.Rows {
		panic(fmt.Sprintf("lssvm: decisions of %d×%d for rows of %d×%d from weights of %d×%d", dst.Rows, dst.Cols, x.Rows, x.Cols, m.Weights.Rows, m.Weights.Cols))
	}
	for i := range dst.Rows {
		copy(dense.Row(dst, i), m.Bias)
	}
	if dst.Rows > 0 {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, m.Weights, 1, dst)
	}
}

// Decisions computes [Model.Decide] for all rows of src. A value that is not
// finite is an error, and so is another number of columns than in the fit. Cost:
// one pass, and memory for the result.
func (m *Model) Decisions(ctx context.Context, e stream.Engine, src stream.Source) (blas64.General, error) {
	info := src.Info()
	out := blas64.General{Cols: m.Weights.Cols, Stride: m.Weights.Cols}
	if len(info.Columns) != m.Weights.Rows {
		return out, fmt.Errorf("%s: %d columns, and the model was fitted to %d", info.Name, len(info.Columns), m.Weights.Rows)
	}
	err := stream.Map(ctx, e, "decisions", src, out.Cols, false,
		func() func(dst blas64.General, b *stream.Block) error {
			return func(dst blas64.General, b *stream.Block) error {
				if err := model.CheckRows(info, b.X, b.Start); err != nil {
					return err
				}
				m.Decide(dst, b.X)
				return nil
			}
		},
		func(b *stream.Block, part blas64.General) error {
			for i := range part.Rows {
				out.Data = append(out.Data, dense.Row(part, i)...)
			}
			out.Rows += part.Rows
			return nil
		})
	return out, err
}

// Predict returns the class of each row of src: the one with the largest decision, and
// of equal ones the first. Cost: one pass.
func (m *Model) Predict(ctx context.Context, e stream.Engine, src stream.Source) ([]int, error) {
	decisions, err := m.Decisions(ctx, e, src)
	if err != nil {
		return nil, err
	}
	return Winners(decisions), nil
}

// Winners returns the column with the largest number in each row, the first of equal
// ones.
func Winners(decisions blas64.General) []int {
	classes := make([]int, decisions.Rows)
	for i := range classes {
		r := dense.Row(decisions, i)
		for c, v := range r {
			if v > r[classes[i]] {
				classes[i] = c
			}
		}
	}
	return classes
}
