package stream_test

import (
	"context"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Each row becomes its distance from the origin; results arrive in row order.
func ExampleMap() {
	src := stream.FromMatrix("points", blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{3, 4, 0, 1, 5, 12}})
	err := stream.Map(context.Background(), stream.Engine{BlockRows: 2}, "norms", src, 1, false,
		func() func(blas64.General, *stream.Block) error {
			return func(dst blas64.General, b *stream.Block) error {
				for i := range b.X.Rows {
					dst.Data[i*dst.Stride] = math.Hypot(b.X.Data[i*b.X.Stride], b.X.Data[i*b.X.Stride+1])
				}
				return nil
			}
		},
		func(b *stream.Block, out blas64.General) error {
			for i := range out.Rows {
				fmt.Println("row", b.Start+int64(i), "norm", out.Data[i*out.Stride])
			}
			return nil
		})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// row 0 norm 5
	// row 1 norm 1
	// row 2 norm 13
}

// Rows may come from any iterator.
func ExampleFromSeq() {
	squares := func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			row := stream.NewMatrix(1, 1)
			for i := range 4 {
				row.Data[0] = float64(i * i)
				if !yield(stream.Batch{X: row}, nil) {
					return
				}
			}
		}
	}
	src := stream.FromSeq(stream.Info{Name: "squares", Columns: []string{"square"}, Rows: -1}, squares)
	m, err := stream.ReadAll(context.Background(), src)
	fmt.Println(m.Data, err)
	// Output: [0 1 4 9] <nil>
}
