package paper3

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// term is a kernel f(β), with β an inner product of projected rows or their squared
// distance. It grows with the likeness of two rows.
type term struct {
	distance bool
	f        func(beta float64) (value, slope float64)
}

// The kernels of the paper's Table 4, with the sign that maximises dependence.
func gaussianTerm(scale float64) term {
	return term{true, func(beta float64) (float64, float64) {
		v := math.Exp(-scale / 2 * beta)
		return v, -scale / 2 * v
	}}
}

func polynomialTerm(degree int, c float64) term {
	p := float64(degree)
	return term{false, func(beta float64) (float64, float64) {
		low := math.Pow(beta+c, p-1)
		return low * (beta + c), p * low
	}}
}

// termOf returns the same kernel for the ascent, if it is of Table 4.
func termOf(k kernelgen.Kernel) (term, bool) {
	if p, ok := k.ProductExponential(); ok && p.Damped && p.Weight == 1 {
		return gaussianTerm(p.Scale), true
	}
	if p, ok := k.Polynomial(); ok && p.Degree > 1 && p.Gamma == 1 && p.Weight == 1 {
		return polynomialTerm(p.Degree, p.Coef0), true
	}
	return term{}, false
}

// objective is J(W) = Σ_ij Γ_ij·f(β_ij) with all n² entries in memory: what SM climbs.
type objective struct {
	x     *mat.Dense // n×d
	gamma *mat.Dense // n×n, symmetric
	term
}

// evaluate returns J(W), Z = XW and Ψ = Γ ⊙ f'(β).
func (o *objective) evaluate(w *mat.Dense) (value float64, z, psi *mat.Dense) {
	z, psi = new(mat.Dense), new(mat.Dense)
	z.Mul(o.x, w)
	psi.Mul(z, z.T())
	squares := make([]float64, z.RawMatrix().Rows)
	for i := range squares {
		squares[i] = psi.At(i, i)
	}
	psi.Apply(func(i, j int, beta float64) float64 {
		if o.distance {
			beta = max(0, squares[i]+squares[j]-2*beta)
		}
		f, slope := o.f(beta)
		value += o.gamma.At(i, j) * f
		return o.gamma.At(i, j) * slope
	}, psi)
	return value, z, psi
}

func (o *objective) value(w *mat.Dense) float64 {
	v, _, _ := o.evaluate(w)
	return v
}

// gradient returns J(W) and ∇J = 2·Φ·W, by eq. 6: Φ = XᵀΨX for inner products and
// 2·XᵀL_ΨX for distances, L_Ψ the Laplacian of Ψ.
func (o *objective) gradient(w *mat.Dense) (value float64, g *mat.Dense) {
	value, z, psi := o.evaluate(w)
	if o.distance {
		psi.Scale(-2, psi)
		for i := range psi.RawMatrix().Rows {
			psi.Set(i, i, psi.At(i, i)-mat.Sum(psi.RowView(i)))
		}
	}
	g = new(mat.Dense)
	g.Product(o.x.T(), psi, z)
	g.Scale(2, g)
	return value, g
}

// classGamma returns Γ = H·Y·Yᵀ·H for one-hot classes.
func classGamma(labels []int, classes int) *mat.Dense {
	y := stream.NewMatrix(len(labels), classes)
	share := 1 / float64(len(labels))
	for _, l := range labels {
		for i := range labels {
			y.Data[i*classes+l] -= share
		}
	}
	for i, l := range labels {
		y.Data[i*classes+l]++
	}
	var gamma mat.Dense
	gamma.Mul(lab.Dense(y), lab.Dense(y).T())
	return &gamma
}
