package cluster_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/stream"
)

// Two clusters of three points each.
func ExampleKMeans_Fit() {
	x := blas64.General{Rows: 6, Cols: 1, Stride: 1, Data: []float64{0, 1, 2, 10, 11, 12}}
	found, err := cluster.KMeans{Clusters: 2, Seed: 1}.Fit(context.Background(), stream.Engine{}, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Centers.Data, found.Inertia, found.Labels[0] == found.Labels[2], found.Labels[0] == found.Labels[3])
	// Output: [1 11] 4 true false
}
