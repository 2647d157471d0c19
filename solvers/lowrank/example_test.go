package lowrank_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// points returns n rows drawn uniformly from the unit square.
func points(n int, seed uint64) blas64.General {
	m := stream.NewMatrix(n, 2)
	random := sketch.NewRandom(seed, "example")
	for i := range n {
		draws := random.At(uint64(i))
		m.Data[2*i], m.Data[2*i+1] = draws.Float64(), draws.Float64()
	}
	return m
}

// Fit a kernel matrix without forming it, measure the error, and embed new rows.
func Example() {
	ctx, engine := context.Background(), stream.Engine{}
	src := passcount.New(stream.FromMatrix("points", points(2000, 1)))

	fit, err := lowrank.Landmark{Rank: 40, Seed: 1}.Fit(ctx, engine, model.Sources{Left: src}, kernelgen.RBF(4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("passes:", src.Passes(), "rank:", len(fit.Values))

	v, err := fit.Verify(ctx, engine, model.Sources{Left: src}, 0, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("relative spectral error: %.0e\n", v.SpectralError)

	unseen := stream.FromMatrix("new points", points(3, 2))
	err = fit.Transform(ctx, engine, unseen, model.Request{}, func(b *stream.Block, u blas64.General) error {
		fmt.Println("embedded rows:", u.Rows, "columns:", u.Cols)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// passes: 1 rank: 40
	// relative spectral error: 1e-06
	// embedded rows: 3 columns: 40
}

// The kernel matrix between the rows of two sources, with orthonormal factors.
func ExampleSSRSVD_Fit() {
	ctx, engine := context.Background(), stream.Engine{}
	left, right := stream.FromMatrix("left", points(900, 1)), stream.FromMatrix("right", points(700, 2))
	fit, err := lowrank.SSRSVD{Rank: 20, Seed: 1}.Fit(ctx, engine, model.Sources{Left: left, Right: right}, kernelgen.RBF(4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fit.Rows, "×", fit.Cols, "rank", len(fit.Values))
	if err := fit.Refine(ctx, engine, model.Sources{Left: left, Right: right}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("orthonormal to rounding:", fit.OrthogonalityBound() < 1e-13)
	// Output:
	// 900 × 700 rank 20
	// orthonormal to rounding: true
}
