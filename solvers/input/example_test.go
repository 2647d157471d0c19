package input_test

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
)

// A worker reports the row and the column of a number that is not finite.
func ExampleCheckRows() {
	info := stream.Info{Name: "rows.csv", Columns: []string{"x", "y"}}
	block := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, math.NaN()}}
	var bad *stream.DataError
	if errors.As(input.CheckRows(info, block, 8192), &bad) {
		fmt.Println(bad.Path, bad.Row, bad.Column)
	}
	// Output: rows.csv 8193 y
}
