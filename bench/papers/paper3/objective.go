package paper3

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// term is one kernel of a sum: weight·f(β), with β an inner product of projected rows
// or their squared distance. The larger f, the more alike two rows.
type term struct {
	weight   float64
	distance bool
	f        func(beta float64) (value, slope float64)
}

// The kernels of the paper's Table 3, with the sign that maximises dependence.
func gaussianTerm(sigma float64) term {
	scale := -1 / (2 * sigma * sigma)
	return term{1, true, func(beta float64) (float64, float64) {
		v := math.Exp(scale * beta)
		return v, scale * v
	}}
}

func polynomialTerm(degree int, c float64) term {
	p := float64(degree)
	return term{1, false, func(beta float64) (float64, float64) {
		low := math.Pow(beta+c, p-1)
		return low * (beta + c), p * low
	}}
}

// objective is J(W) = Σ_ij Γ_ij·Σ_k weight_k·f_k(β_ij) with all n² entries in memory:
// what the slow baselines climb, for at most mostDense rows.
type objective struct {
	x     blas64.General // n×d
	gamma blas64.General // n×n, symmetric
	terms []term
}

// mostDense is how many rows the dense baselines take.
const mostDense = 1000

func newObjective(x, gamma blas64.General, terms ...term) (*objective, error) {
	if x.Rows > mostDense {
		return nil, fmt.Errorf("%d rows: the dense baselines take at most %d", x.Rows, mostDense)
	}
	return &objective{x, gamma, terms}, nil
}

// value returns J(W).
func (o *objective) value(w blas64.General) float64 {
	sum := 0.0
	o.visit(w, func(i, j int, dot, distance float64) {
		v := 0.0
		for _, t := range o.terms {
			f, _ := t.f(pick(t.distance, distance, dot))
			v += t.weight * f
		}
		sum += o.gamma.Data[i*o.gamma.Stride+j] * v
	})
	return sum
}

// gradient returns J(W) and ∇J = 2·Φ·W, by eq. 6: Φ = XᵀΨX for inner products and
// 2·XᵀL_ΨX for distances, Ψ = Γ ⊙ f'(β).
func (o *objective) gradient(w blas64.General) (value float64, g blas64.General) {
	n := o.x.Rows
	psi := stream.NewMatrix(n, n) // Ψ of inner products − 2·Ψ of distances
	degrees := make([]float64, n) // of 2·Ψ of distances
	o.visit(w, func(i, j int, dot, distance float64) {
		entry := o.gamma.Data[i*o.gamma.Stride+j]
		for _, t := range o.terms {
			f, slope := t.f(pick(t.distance, distance, dot))
			value += entry * t.weight * f
			slope *= entry * t.weight
			if t.distance {
				slope *= 2
				degrees[i] += slope
				slope = -slope
			}
			psi.Data[i*n+j] += slope
		}
	})
	for i, v := range degrees {
		psi.Data[i*n+i] += v
	}
	z := dense.Mul(blas.NoTrans, o.x, blas.NoTrans, w)
	g = dense.Mul(blas.Trans, o.x, blas.NoTrans, dense.Mul(blas.NoTrans, psi, blas.NoTrans, z))
	for i := range g.Data {
		g.Data[i] *= 2
	}
	return value, g
}

// visit goes over all pairs of projected rows.
func (o *objective) visit(w blas64.General, f func(i, j int, dot, distance float64)) {
	z := dense.Mul(blas.NoTrans, o.x, blas.NoTrans, w)
	s := dense.Mul(blas.NoTrans, z, blas.Trans, z)
	for i := range s.Rows {
		for j, dot := range dense.Row(s, i) {
			f(i, j, dot, max(0, s.Data[i*s.Stride+i]+s.Data[j*s.Stride+j]-2*dot))
		}
	}
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// classGamma returns Γ = H·Y·Yᵀ·H for one-hot classes.
func classGamma(labels []int, classes int) blas64.General {
	y := stream.NewMatrix(len(labels), classes)
	for i, l := range labels {
		y.Data[i*classes+l] = 1
	}
	dense.CentreColumns(y)
	return dense.Mul(blas.NoTrans, y, blas.Trans, y)
}
