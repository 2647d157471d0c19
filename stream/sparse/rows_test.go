package sparse_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// A pass sees every row of the matrix by its number, and the transpose is computed once.
func TestRowsByNumberAndTranspose(t *testing.T) {
	m, err := sparse.NewCSR(1000, 7, func(yield func(sparse.Entry) bool) {
		for i := range int32(1000) {
			if !yield(sparse.Entry{Row: i, Col: i % 7, Value: float64(i)}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := sparse.NewRows("g", m, nil)
	sums := make([]float64, 1000)
	err = stream.Map(context.Background(), stream.Engine{BlockRows: 64, Threads: 3}, "rows", rows, 1, false, func() func(blas64.General, *stream.Block) error {
		return func(dst blas64.General, b *stream.Block) error {
			for i := range dst.Rows {
				_, value := rows.Matrix.Row(int(b.Start) + i)
				dst.Data[i*dst.Stride] = value[0]
			}
			return nil
		}
	}, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			sums[int(b.Start)+i] = out.Data[i*out.Stride]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range sums {
		if v != float64(i) {
			t.Fatalf("row %d gave %v", i, v)
		}
	}
	if c := rows.Transpose(); c.Rows != 7 || c != rows.Transpose() || c != sparse.NewRows("g", m, c).Transpose() {
		t.Errorf("the transpose has %d rows, or is made again", c.Rows)
	}
}
