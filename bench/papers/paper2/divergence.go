package paper2

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// Estimates of the divergence of Kullback and Leibler of a density from another,
//
//	KL(p‖q) = ∫ p·log(p/q)
//
// from the rows x_i of a sample of p and those of one of q. It is never negative; estimates
// may be.

// byDensities estimates both densities and averages the logarithm of their ratio over the
// sample of p. Densities are sums of Gaussians with Scott's bandwidths: standard deviations
// of the columns times n^(−1/(d+4)). That of p leaves x_i out where it is evaluated.
func byDensities(p, q blas64.General) float64 {
	mean := 0.0
	own, other := newDensity(p), newDensity(q)
	for i := range p.Rows {
		mean += (own.log(dense.Row(p, i), i) - other.log(dense.Row(p, i), -1)) / float64(p.Rows)
	}
	return mean
}

// density is a sum of Gaussians around rows.
type density struct {
	rows   blas64.General // over their bandwidths
	widths []float64
	level  float64 // the logarithm of what exponentials are divided by, but for their number
}

func newDensity(x blas64.General) *density {
	k := &density{rows: dense.Clone(x), widths: deviations(x), level: float64(x.Cols) / 2 * math.Log(2*math.Pi)}
	for j := range k.widths {
		k.widths[j] *= math.Pow(float64(x.Rows), -1/float64(x.Cols+4))
		k.level += math.Log(k.widths[j])
	}
	dense.ScaleColumns(k.rows, dense.Reciprocals(k.widths))
	return k
}

// deviations returns the standard deviations of the columns.
func deviations(x blas64.General) []float64 {
	centred := dense.Clone(x)
	dense.CentreColumns(centred)
	sd := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range dense.Row(centred, i) {
			sd[j] += v * v / float64(x.Rows-1)
		}
	}
	return dense.Roots(sd)
}

// log returns the logarithm of the density at x, without one of the rows unless it is −1.
func (k *density) log(x []float64, without int) float64 {
	var exponents []float64
	for i := range k.rows.Rows {
		if i == without {
			continue
		}
		sum := 0.0
		for j, v := range dense.Row(k.rows, i) {
			d := x[j]/k.widths[j] - v
			sum -= d * d / 2
		}
		exponents = append(exponents, sum)
	}
	most, sum := slices.Max(exponents), 0.0
	for _, e := range exponents {
		sum += math.Exp(e - most)
	}
	return most + math.Log(sum/float64(len(exponents))) - k.level
}

// neighbour is which neighbour byNeighbours goes to, so that a row may appear twice.
const neighbour = 3

// byNeighbours is the estimate from distances to neighbours (Wang, Kulkarni and Verdú 2009,
// "Divergence estimation for multidimensional densities via k-nearest-neighbor distances"):
// with ρ_i from x_i to its third neighbour among the rest of the n rows of its own sample and
// ν_i among the m of the other, d/n·Σ log(ν_i/ρ_i) + log(m/(n−1)). It has no bandwidth. NaN
// if more rows are equal than that.
func byNeighbours(p, q blas64.General) float64 {
	sum := 0.0
	for i := range p.Rows {
		own, other := distances(dense.Row(p, i), p), distances(dense.Row(p, i), q)
		own = slices.Delete(own, i, i+1)
		slices.Sort(own)
		slices.Sort(other)
		if own[neighbour-1] == 0 || other[neighbour-1] == 0 {
			return math.NaN()
		}
		sum += math.Log(other[neighbour-1] / own[neighbour-1])
	}
	n := float64(p.Rows)
	return float64(p.Cols)/n*sum + math.Log(float64(q.Rows)/(n-1))
}

func distances(x []float64, rows blas64.General) []float64 {
	all := make([]float64, rows.Rows)
	for i := range all {
		all[i] = distance(x, dense.Row(rows, i))
	}
	return all
}

// gaussianPair is two normal densities in d dimensions: N(0, I) and N(shift·e₁, scale²·I).
type gaussianPair struct {
	dimension    int
	shift, scale float64
	rows, cols   int // of samples
}

// divergences returns KL of the first from the second, and of the second from the first.
func (g gaussianPair) divergences() (forth, back float64) {
	d, s := float64(g.dimension), g.scale*g.scale
	return (d/s + g.shift*g.shift/s - d + d*math.Log(s)) / 2, (d*s + g.shift*g.shift - d - d*math.Log(s)) / 2
}

// draw returns samples of both.
func (g gaussianPair) draw(seed uint64) (p, q blas64.General) {
	p, q = gaussian(g.rows, g.dimension, 2*seed), gaussian(g.cols, g.dimension, 2*seed+1)
	for i := range q.Rows {
		for j, v := range dense.Row(q, i) {
			dense.Row(q, i)[j] = g.scale * v
		}
		q.Data[i*q.Stride] += g.shift
	}
	return p, q
}

// String says what the densities are.
func (g gaussianPair) String() string {
	return fmt.Sprintf("N(0, I) and N(%g·e₁, %g·I)", g.shift, g.scale*g.scale)
}
