package askls_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Rows with two columns in two classes, by a kernel that is not symmetric.
func Example() {
	ctx, engine := context.Background(), stream.Engine{}
	x := blas64.General{Rows: 6, Cols: 2, Stride: 2, Data: []float64{0, 0, 0, 1, 1, 0, 4, 4, 4, 5, 5, 4}}
	data, err := askls.Samples(stream.FromMatrix("x", x), []int{0, 0, 0, 1, 1, 1}, 2)
	if err != nil {
		panic(err)
	}
	fit, err := askls.Solver{C: 10}.Fit(ctx, engine, data, kernelgen.SNE(2))
	if err != nil {
		panic(err)
	}
	fresh := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0.5, 0.5, 4.5, 4.5}}
	classes, err := fit.Predict(ctx, engine, stream.FromMatrix("fresh", fresh))
	fmt.Println(fit.Algorithm, classes, err)
	// Output: dense [0 1] <nil>
}

// Nodes of a directed graph: two rings of citations, each with a node that is not a training node. The kernel is (A+I)
// divided by row sums; γ = 1 makes the system singular, so it needs a ridge.
func ExampleGraph() {
	ctx, engine := context.Background(), stream.Engine{}
	a, err := sparse.NewCSR(8, 8, func(yield func(sparse.Entry) bool) {
		for i := range int32(8) {
			for step := range int32(2) {
				if !yield(sparse.Entry{Row: i, Col: i/4*4 + (i+step+1)%4, Value: 1}) {
					return
				}
			}
		}
	})
	if err != nil {
		panic(err)
	}
	k, err := a.AddIdentity().ScaledByDegrees(sparse.RowStochastic)
	if err != nil {
		panic(err)
	}
	data, err := askls.Graph("rings", k, []int64{0, 1, 2, 4, 5, 6}, []int{0, 0, 0, 1, 1, 1}, 2)
	if err != nil {
		panic(err)
	}
	fit, err := askls.Solver{C: 1, Ridge: 1}.Fit(ctx, engine, data, kernelgen.Kernel{})
	if err != nil {
		panic(err)
	}
	classes, err := fit.Predict(ctx, engine, askls.NewNodes("rings", k, []int64{3, 7}))
	fmt.Println(classes, err)
	// Output: [0 1] <nil>
}
