package transport_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// Move three points to three others.
func Example() {
	ctx, engine := context.Background(), stream.Engine{}
	column := func(values ...float64) blas64.General {
		return blas64.General{Rows: len(values), Cols: 1, Stride: 1, Data: values}
	}
	data := &transport.Data{Sources: model.Sources{Left: stream.FromMatrix("from", column(0, 1, 2)), Right: stream.FromMatrix("to", column(10, 11, 12))}}
	fit, err := transport.Exact{Sinkhorn: transport.Sinkhorn{Epsilon: 0.1}}.Fit(ctx, engine, data, kernelgen.RBF(1))
	if err != nil {
		log.Fatal(err)
	}
	moved, err := model.TransformMatrix(ctx, engine, fit, column(0, 1, 2), model.Request{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", moved.Data)
	// Output: [10.00 11.00 12.00]
}
