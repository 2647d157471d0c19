package stream_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// trace is an accumulator: the sum of the squared norms of rows.
type trace struct{ sum float64 }

func newTrace() *trace { return new(trace) }

func (a *trace) add(x blas64.General) {
	for i := range x.Rows {
		for _, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			a.sum += v * v
		}
	}
}

func (a *trace) Merge(later *trace) error {
	a.sum += later.sum
	return nil
}

func (a *trace) MarshalBinary() ([]byte, error) {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(a.sum)), nil
}

func (a *trace) UnmarshalBinary(data []byte) error {
	if len(data) != 8 {
		return fmt.Errorf("a trace takes 8 bytes, not %d", len(data))
	}
	a.sum = math.Float64frombits(binary.LittleEndian.Uint64(data))
	return nil
}

// One pass over a matrix computes the trace of its Gram matrix.
func ExampleFold() {
	src := stream.FromMatrix("points", blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{
		3, 4,
		0, 1,
		2, 0,
	}})
	sum, err := stream.Fold(context.Background(), stream.Engine{}, "trace", src, newTrace,
		func() func(*trace, *stream.Block) error {
			return func(a *trace, b *stream.Block) error {
				a.add(b.X)
				return nil
			}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.sum)
	// Output: 30
}

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
				row.Data[0] = float64(i)
				if !yield(stream.Batch{X: row}, nil) {
					return
				}
			}
		}
	}
	src := stream.FromSeq(stream.Info{Name: "numbers", Columns: []string{"i"}, Rows: -1}, squares)
	sum, err := stream.Fold(context.Background(), stream.Engine{}, "trace", src, newTrace,
		func() func(*trace, *stream.Block) error {
			return func(a *trace, b *stream.Block) error {
				a.add(b.X)
				return nil
			}
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.sum)
	// Output: 14
}
