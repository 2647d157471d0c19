package rkhs_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
)

// The slowest relaxations of a time series: the Koopman operator of an Ornstein–Uhlenbeck process has the eigenvalues
// 1, e^(−τ), e^(−2τ), …, and the timescales 1, 1/2, ….
func ExampleSolver_Fit() {
	const tau, n = 0.5, 20000
	path := stream.NewMatrix(n, 1)
	noise, decay := sketch.NewRandom(1, "noise"), math.Exp(-tau)
	for i := 1; i < n; i++ {
		draws := noise.At(uint64(i))
		path.Data[i] = decay*path.Data[i-1] + math.Sqrt(1-decay*decay)*draws.Normal()
	}

	ctx, engine := context.Background(), stream.Engine{}
	pairs, err := rkhs.Lagged(stream.FromMatrix("path", path), 1)
	if err != nil {
		panic(err)
	}
	fit, err := rkhs.Solver{Operator: rkhs.Koopman{Ridge: 1e-5}, Task: rkhs.Eigen, Rank: 3,
		Landmarks: 50}.Fit(ctx, engine, pairs, kernelgen.RBF(0.2))
	if err != nil {
		panic(err)
	}
	values := fit.Eigenvalues()
	fmt.Printf("eigenvalues %.1f and %.1f\n", real(values[0]), real(values[1]))
	fmt.Printf("slowest timescale %.1f\n", fit.Timescales(tau)[1])

	// At new rows, the second eigenfunction increases with the state.
	rows := blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{-1, 0, 1}}
	at, err := fit.Right.Real().At(ctx, engine, rows)
	if err != nil {
		panic(err)
	}
	second := func(i int) float64 { return at.Data[i*at.Stride+1] }
	fmt.Println("monotone:", (second(1)-second(0))*(second(2)-second(1)) > 0)
	// Output:
	// eigenvalues 1.0 and 0.6
	// slowest timescale 1.0
	// monotone: true
}

// Which causes does an effect have? y is x² plus noise, and the mean embedding maps k(·, x) to the embedding of y given
// x. The pseudo-inverse solves the inverse problem (paper, Section 4.1): it maps l(·, y) of an effect y to a function
// with maxima at the causes.
func ExampleModel_PseudoInverse() {
	const n = 4000
	x, y := stream.NewMatrix(n, 1), stream.NewMatrix(n, 1)
	random := sketch.NewRandom(1, "causes")
	for i := range n {
		draws := random.At(uint64(i))
		x.Data[i] = 4*draws.Float64() - 2
		y.Data[i] = x.Data[i]*x.Data[i] + 0.1*draws.Normal()
	}
	ctx, engine := context.Background(), stream.Engine{}
	pairs, err := rkhs.Pairs(stream.FromMatrix("x", x), stream.FromMatrix("y", y))
	if err != nil {
		panic(err)
	}
	fit, err := rkhs.Solver{Operator: rkhs.MeanEmbedding{Ridge: 1e-4}, Rank: 20, Algorithm: rkhs.AlgorithmLandmark,
		Landmarks: 60}.Fit(ctx, engine, pairs, kernelgen.RBF(4))
	if err != nil {
		panic(err)
	}
	inverse, err := fit.PseudoInverse(0.1)
	if err != nil {
		panic(err)
	}
	effect := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{2.25}}
	seen, err := inverse.Right.Sections(ctx, engine, effect)
	if err != nil {
		panic(err)
	}
	cause, err := inverse.Apply(seen)
	if err != nil {
		panic(err)
	}
	grid := stream.NewMatrix(41, 1)
	for i := range grid.Rows {
		grid.Data[i] = float64(i-20) / 10
	}
	at, err := cause.At(ctx, engine, grid)
	if err != nil {
		panic(err)
	}
	for i := 1; i < grid.Rows-1; i++ {
		if v := at.Data; v[i] > v[i-1] && v[i] > v[i+1] && v[i] > floats.Max(v)/2 {
			fmt.Printf("likely near %.1f\n", grid.Data[i])
		}
	}
	// Output:
	// likely near -1.5
	// likely near 1.5
}
