package graph_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/nystream/nystream/blockstore/graph"
)

// The weights of an edge that is listed twice add up.
func ExampleRead() {
	edges := "source,target,weight\nann,bob,1\nbob,cay,2\nann,bob,4\n"
	g, err := graph.Read(context.Background(), "-", graph.Options{Reader: strings.NewReader(edges)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e := range g.Adjacency.Entries() {
		fmt.Println(g.Name(int(e.Row)), "to", g.Name(int(e.Col)), e.Value)
	}
	// Output:
	// ann to bob 5
	// bob to cay 2
}
