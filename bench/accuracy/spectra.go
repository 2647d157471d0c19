package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// spectra make rows whose kernel matrices have falls, orders and outliers of all kinds. Each
// is the same for equal n.
var spectra = map[string]func(n int) blas64.General{
	"sorted":   func(n int) blas64.General { return geometricClusters(n, true) },
	"shuffled": func(n int) blas64.General { return geometricClusters(n, false) },
	"algebraic": func(n int) blas64.General {
		return scaledNormals(n, 20, func(j int) float64 { return 1 / float64(j+1) })
	},
	"geometric": func(n int) blas64.General {
		return scaledNormals(n, 20, func(j int) float64 { return math.Ldexp(1, -j) })
	},
	"steps": func(n int) blas64.General {
		return scaledNormals(n, 20, func(j int) float64 { return []float64{1, 0.1, 0.1, 1e-3}[j/5] })
	},
	"rare":     rareClusters,
	"heavy":    heavyTails,
	"features": imageLikeFeatures,
	"binary":   rareBinaryColumns,
	"twelve":   twelveClusters,
}

func randomOf(name string, n int) *rand.Rand {
	seed := uint64(n)
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, 0))
}

func fill(n, d int, entry func(i, j int) float64) blas64.General {
	x := stream.NewMatrix(n, d)
	for i := range n {
		for j := range d {
			x.Data[i*d+j] = entry(i, j)
		}
	}
	return x
}

// geometricClusters draws 40 centres ×5 and noise of .1. Cluster numbers are geometric(.15).
func geometricClusters(n int, sorted bool) blas64.General {
	r := randomOf("clusters", n)
	centres := fill(40, 6, func(int, int) float64 { return 5 * r.NormFloat64() })
	of := make([]int, n)
	for i := range of {
		of[i] = min(39, int(math.Log(1-r.Float64())/math.Log(1-0.15)))
	}
	if sorted {
		slices.SortFunc(of, cmp.Compare[int])
	}
	return fill(n, 6, func(i, j int) float64 { return centres.Data[of[i]*6+j] + 0.1*r.NormFloat64() })
}

func scaledNormals(n, d int, scale func(j int) float64) blas64.General {
	r := randomOf("normals", n)
	return fill(n, d, func(_, j int) float64 { return scale(j) * r.NormFloat64() })
}

// rareClusters has one wide cluster and, in a hundredth of the rows, 30 far ones.
func rareClusters(n int) blas64.General {
	r := randomOf("rare", n)
	centres := fill(30, 5, func(int, int) float64 { return 10 * r.NormFloat64() })
	far := make([]int, n)
	for i := range far {
		far[i] = -1
		if r.Float64() < 0.01 {
			far[i] = r.IntN(30)
		}
	}
	return fill(n, 5, func(i, j int) float64 {
		if far[i] < 0 {
			return r.NormFloat64()
		}
		return centres.Data[far[i]*5+j] + 0.05*r.NormFloat64()
	})
}

// heavyTails has columns of Student's t with two degrees of freedom.
func heavyTails(n int) blas64.General {
	r := randomOf("heavy", n)
	return fill(n, 8, func(int, int) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) })
}

// imageLikeFeatures has 19 correlated columns, each a monotone function of four factors.
func imageLikeFeatures(n int) blas64.General {
	r := randomOf("features", n)
	mix := fill(4, 19, func(int, int) float64 { return r.NormFloat64() })
	factors := fill(n, 4, func(int, int) float64 { return r.NormFloat64() })
	return fill(n, 19, func(i, j int) float64 {
		sum := 0.0
		for l := range 4 {
			sum += factors.Data[i*4+l] * mix.Data[l*19+j]
		}
		return math.Exp(sum/2) + 0.01*r.NormFloat64()
	})
}

// rareBinaryColumns has 120 columns of zeros and ones, the last of which are rare.
func rareBinaryColumns(n int) blas64.General {
	r := randomOf("binary", n)
	return fill(n, 120, func(_, j int) float64 {
		if r.Float64() < max(2/float64(n), 0.5*math.Pow(0.94, float64(j))) {
			return 1
		}
		return 0
	})
}

func twelveClusters(n int) blas64.General {
	r := randomOf("twelve", n)
	centres := fill(12, 6, func(int, int) float64 { return 2 * r.NormFloat64() })
	return fill(n, 6, func(i, j int) float64 { return centres.Data[i%12*6+j] + 0.3*r.NormFloat64() })
}
