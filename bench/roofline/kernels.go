package main

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/kernelgen"
)

// A kernel is one row of the tables. Its parameters suit rows drawn uniformly
// from [0,1]^d: what the profile sees is about as large for every d.
type kernel struct {
	name    string
	base    simd.Base
	profile func(d int) simd.Profile
	value   func(d int) kernelgen.Kernel
	at      func(base float64, d int) float64 // the profile in plain float64
	// calibration is a profile of the same kind that maps [0,1] into itself and
	// away from zero, as its calibration wants.
	calibration simd.Profile
}

var kernels = []kernel{
	{
		name: "rbf", base: simd.Square,
		profile:     func(d int) simd.Profile { return simd.Exponential(-rbfGamma(d)) },
		value:       func(d int) kernelgen.Kernel { return kernelgen.RBF(rbfGamma(d)) },
		at:          func(s float64, d int) float64 { return math.Exp(-rbfGamma(d) * s) },
		calibration: simd.Exponential(-0.5),
	},
	{
		name: "laplace", base: simd.Absolute,
		profile:     func(d int) simd.Profile { return simd.Exponential(-laplaceGamma(d)) },
		value:       func(d int) kernelgen.Kernel { return kernelgen.Laplace(laplaceGamma(d)) },
		at:          func(s float64, d int) float64 { return math.Exp(-laplaceGamma(d) * s) },
		calibration: simd.Exponential(-0.5),
	},
	{
		name: "poly", base: simd.Product,
		profile: func(d int) simd.Profile { return simd.Power(polyGamma(d), 1, 3) },
		value:   func(d int) kernelgen.Kernel { return kernelgen.Poly(3, polyGamma(d), 1) },
		at: func(s float64, d int) float64 {
			b := polyGamma(d)*s + 1
			return b * b * b
		},
		calibration: simd.Power(0.5, 0.25, 3),
	},
	{
		name: "matern52", base: simd.Square,
		profile: func(d int) simd.Profile {
			return simd.ExponentialOfRoot(-math.Sqrt(5)/maternLength(d), -1, 1.0/3)
		},
		value: func(d int) kernelgen.Kernel { return kernelgen.Matern52(maternLength(d)) },
		at: func(s float64, d int) float64 {
			z := math.Sqrt(5*s) / maternLength(d)
			return (1 + z + z*z/3) * math.Exp(-z)
		},
		calibration: simd.ExponentialOfRoot(-2, -1, 1.0/3),
	},
}

// The means are d/6 for ‖x−y‖², d/3 for Σ|x_k−y_k| and d/4 for x·y.
func rbfGamma(d int) float64     { return 6 / float64(d) }
func laplaceGamma(d int) float64 { return 3 / float64(d) }
func polyGamma(d int) float64    { return 4 / float64(d) }
func maternLength(d int) float64 { return math.Sqrt(float64(d) / 6) }
