package stream_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// trace is an accumulator: the sum of the squared norms of rows.
type trace struct{ sum float64 }

func newTrace() *trace { return new(trace) }

func (a *trace) add(b *stream.Block) error {
	for i := range b.X.Rows {
		for _, v := range b.X.Data[i*b.X.Stride : i*b.X.Stride+b.X.Cols] {
			a.sum += v * v
		}
	}
	return nil
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

// One pass over a matrix computes the trace of its Gram matrix. An accumulator adds blocks, merges what later blocks
// gave, and writes and reads its state.
func ExampleFold() {
	src := stream.FromMatrix("points", blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{
		3, 4,
		0, 1,
		2, 0,
	}})
	sum, err := stream.Fold(context.Background(), stream.Engine{}, "trace", src, newTrace,
		func() func(*trace, *stream.Block) error { return (*trace).add })
	fmt.Println(sum.sum, err)
	// Output: 30 <nil>
}
