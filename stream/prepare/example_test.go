package prepare_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Rows with nulls are dropped and the columns scaled to [0, 1]. New rows are treated like the rows
// of the fit.
func ExampleNew() {
	ctx, e := context.Background(), stream.Engine{}
	src := stream.FromMatrix("sizes", blas64.General{Rows: 4, Cols: 2, Stride: 2, Data: []float64{
		150, 50,
		160, math.NaN(),
		170, 60,
		200, 100,
	}})
	p, err := prepare.New(ctx, e, src, prepare.Treatment{Nulls: prepare.NullsDrop, Scale: prepare.ScaleMinMax})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Info().Rows, "rows, dropped", p.Dropped())
	rows, err := stream.GatherRows(ctx, p, []int64{1, 2})
	fmt.Println(rows.Data, err)

	fresh := stream.FromMatrix("new", blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{175, 75}})
	q, err := p.Apply(ctx, e, fresh)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err = stream.GatherRows(ctx, q, []int64{0})
	fmt.Println(rows.Data, err)
	// Output:
	// 3 rows, dropped 1
	// [0.4 0.2 1 1] <nil>
	// [0.5 0.5] <nil>
}
