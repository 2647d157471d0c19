package sparse_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// A graph of three nodes becomes the transition matrix of its random walk, and its rows a source.
func ExampleCSR() {
	edges := []sparse.Entry{{Row: 0, Col: 1, Value: 1}, {Row: 2, Col: 0, Value: 3}, {Row: 0, Col: 2, Value: 1}}
	graph, err := sparse.NewCSR(3, 3, slices.Values(edges))
	if err != nil {
		fmt.Println(err)
		return
	}
	walk, err := graph.ScaledByDegrees(sparse.RowStochastic)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := stream.ReadAll(context.Background(), walk.Source("walk", []string{"a", "b", "c"}))
	fmt.Println(graph.NNZ(), "edges", rows.Data, err)
	// Output: 3 edges [0 0.5 0.5 0 0 0 1 0 0] <nil>
}
