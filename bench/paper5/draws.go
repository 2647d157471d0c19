package main

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/datasets"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// uniformSquare returns n rows drawn uniformly from [−2, 2]².
func uniformSquare(n int, seed uint64) blas64.General {
	x := datasets.Uniform(n, 2, seed)
	for i := range x.Data {
		x.Data[i] = 4*x.Data[i] - 2
	}
	return x
}

// path returns a path of the Ornstein–Uhlenbeck process in equilibrium, n steps of τ.
func path(n int, tau float64, seed uint64) blas64.General {
	x := stream.NewMatrix(n, 1)
	random := sketch.NewRandom(seed, "Ornstein–Uhlenbeck")
	decay := math.Exp(-tau)
	for i := range n {
		draws := random.At(uint64(i))
		x.Data[i] = draws.Normal()
		if i > 0 {
			x.Data[i] = decay*x.Data[i-1] + math.Sqrt(1-decay*decay)*x.Data[i]
		}
	}
	return x
}
