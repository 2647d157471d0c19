package ism_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Rows of four columns. The second and the third together determine the class.
func Example() {
	x := stream.NewMatrix(400, 4)
	var labels []int
	noise := sketch.NewRandom(1, "example")
	for i := range x.Rows {
		draws := noise.At(uint64(i))
		for j := range 4 {
			x.Data[4*i+j] = draws.Normal()
		}
		label := 0
		if x.Data[4*i+1]+x.Data[4*i+2]*x.Data[4*i+2] > 1 {
			label = 1
		}
		labels = append(labels, label)
	}
	known, err := ism.Classes(labels, 2)
	if err != nil {
		log.Fatal(err)
	}
	ctx, e := context.Background(), stream.Engine{}
	src, err := prepare.New(ctx, e, stream.FromMatrix("points", x), prepare.Treatment{Scale: prepare.ScaleStandard})
	if err != nil {
		log.Fatal(err)
	}
	fit, err := ism.Solver{Dim: 2}.Fit(ctx, e, &ism.Data{Rows: src, Response: known}, kernelgen.Gaussian(1))
	if err != nil {
		log.Fatal(err)
	}
	share := 0.0 // share of the two columns in W
	for _, w := range fit.W.Data[1*2 : 3*2] {
		share += w * w / 2
	}
	fmt.Printf("%v, settled %v, share %.1f\n", fit.Algorithm, !fit.NotConverged, share)
	// Output: exact, settled true, share 1.0
}
