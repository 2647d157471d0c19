package cluster

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// columnSums is Fᵀ1.
func columnSums(ctx context.Context, e stream.Engine, factors stream.Source) ([]float64, error) {
	info := factors.Info()
	d := len(info.Columns)
	sums, err := stream.Fold(ctx, e, "degrees", factors, func() *sketch.ColumnSums { return sketch.NewColumnSums(d) },
		func() func(acc *sketch.ColumnSums, b *stream.Block) error {
			return func(acc *sketch.ColumnSums, b *stream.Block) error {
				return model.InSource(info, acc.Add(b.X), func(i int) int64 { return b.Start + int64(i) })
			}
		})
	if err != nil {
		return nil, err
	}
	return sums.Totals(), nil
}

// normaliser divides rows of factors by the roots of their degrees.
type normaliser struct {
	info stream.Info
	sums []float64 // Fᵀ1
}

// apply puts the normalised rows of a block into dst and counts those whose
// degree was raised.
func (n normaliser) apply(dst blas64.General, b *stream.Block) (raised int64, err error) {
	for i := range b.X.Rows {
		row, out := dense.Row(b.X, i), dense.Row(dst, i)
		self, degree := dense.Dot(row, row), dense.Dot(row, n.sums)
		if degree < self*(1-1e-12) {
			raised++
		}
		degree = math.Max(degree, self)
		if !(degree <= math.MaxFloat64) {
			return 0, fmt.Errorf("%s: the degree of row %d overflows: scale the factors down", n.info.Name, b.Start+int64(i))
		}
		clear(out)
		if degree > 0 {
			root := math.Sqrt(degree)
			for j, v := range row {
				out[j] = v / root
			}
		}
	}
	return raised, nil
}

// fold makes the R factor of all normalised rows.
func (n normaliser) fold(ctx context.Context, e stream.Engine, factors stream.Source) (*normalised, error) {
	d := len(n.sums)
	return stream.Fold(ctx, e, "normalised factors", factors, func() *normalised { return newNormalised(d) },
		func() func(acc *normalised, b *stream.Block) error {
			room := stream.NewMatrix(stream.PanelRows, d)
			return func(acc *normalised, b *stream.Block) error {
				for first, rows := range b.Panels(stream.PanelRows) {
					part := stream.Block{Start: b.Start + int64(first), X: rows}
					out := stream.RowSlice(room, 0, rows.Rows)
					raised, err := n.apply(out, &part)
					if err != nil {
						return err
					}
					acc.B.Count += raised
					if err := acc.A.Add(out); err != nil {
						return err
					}
				}
				return nil
			}
		})
}

// project multiplies all normalised rows with a small matrix.
func (n normaliser) project(ctx context.Context, e stream.Engine, factors stream.Source, by blas64.General) (blas64.General, error) {
	return stream.MapRows(ctx, e, "spectral embedding", factors, by.Cols, func() func(dst blas64.General, b *stream.Block) error {
		var room blas64.General
		return func(dst blas64.General, b *stream.Block) error {
			if room.Rows < b.X.Rows {
				room = stream.NewMatrix(b.X.Rows, b.X.Cols)
			}
			rows := stream.RowSlice(room, 0, b.X.Rows)
			if _, err := n.apply(rows, b); err != nil {
				return err
			}
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, rows, by, 0, dst)
			return nil
		}
	})
}

// normalised is the R factor of normalised rows, and a sum that only counts those whose
// degree was raised.
type normalised = sketch.Both[*sketch.QR, *sketch.Sum]

func newNormalised(d int) *normalised {
	return &normalised{A: sketch.NewQR(d), B: sketch.NewSum(0, 0)}
}

// rightSingular gives the right singular vectors of a small matrix, the largest
// entry of each positive, and the singular values.
func rightSingular(r blas64.General) (v blas64.General, s []float64, err error) {
	d, err := dense.NewSVD(r)
	if err != nil {
		return v, nil, fmt.Errorf("the normalised factors: %w", err)
	}
	return d.V, d.S, nil
}
