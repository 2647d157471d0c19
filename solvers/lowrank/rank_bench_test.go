package lowrank

import (
	"context"
	"fmt"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// BenchmarkLandmarkRank times a fit of 5000 rows by rank: small dense algebra grows with its cube.
func BenchmarkLandmarkRank(b *testing.B) {
	src := stream.FromMatrix("x", clusters(5000, 8, 3))
	k := kernelgen.RBF(5)
	for _, c := range []int{50, 100, 250} {
		b.Run(fmt.Sprint("c=", c), func(b *testing.B) {
			for range b.N {
				if _, err := (Landmark{Rank: c, Seed: 1}).Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
