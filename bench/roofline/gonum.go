package main

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// gonumTile is the tile by gonum's matrix product and package math: distances
// from products and squared lengths. L1 distances have no such way.
type gonumTile struct {
	job     *tileJob[float64]
	lengths []float64 // squared, of the landmarks
	finish  func(row []float64, length float64, lengths []float64)
}

// gonumLoad returns nil for kernels that gonum has no way to compute.
func gonumLoad(j *tileJob[float64]) *load {
	g := &gonumTile{job: j}
	switch j.kernel.name {
	case "rbf":
		gamma := rbfGamma(j.d)
		g.finish = func(row []float64, length float64, lengths []float64) {
			for k, p := range row {
				row[k] = math.Exp(-gamma * max(0, length+lengths[k]-2*p))
			}
		}
	case "matern52":
		c := math.Sqrt(5) / maternLength(j.d)
		g.finish = func(row []float64, length float64, lengths []float64) {
			for k, p := range row {
				z := c * math.Sqrt(max(0, length+lengths[k]-2*p))
				row[k] = (1 + z + z*z/3) * math.Exp(-z)
			}
		}
	case "poly":
		gamma := polyGamma(j.d)
		g.finish = func(row []float64, _ float64, _ []float64) {
			for k, p := range row {
				b := gamma*p + 1
				row[k] = b * b * b
			}
		}
	default:
		return nil
	}
	g.lengths = make([]float64, landmarks)
	for k := range g.lengths {
		g.lengths[k] = squaredLength(rowOf(j.rows, k))
	}
	return &load{path: simd.Go, run: g.run}
}

func (g *gonumTile) run(thread int) (entries int) {
	s := g.job.strips[thread]
	x := s.next()
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, blas64.General(x), blas64.General(g.job.rows), 0, blas64.General(s.tile))
	for i := range x.Rows {
		g.finish(rowOf(s.tile, i), squaredLength(rowOf(x, i)), g.lengths)
	}
	return x.Rows * landmarks
}

func squaredLength(x []float64) float64 {
	v := blas64.Vector{N: len(x), Inc: 1, Data: x}
	return blas64.Dot(v, v)
}
