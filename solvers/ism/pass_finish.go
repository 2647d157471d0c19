package ism

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
)

// finish computes Φ and J from the sums.
func (p *pass) finish() *evaluation {
	d := p.linear.data.d
	v := &evaluation{w: p.w, phi: matrix.New(d, d)}
	for s, part := range p.gamma.parts {
		for _, f := range p.features {
			phi := p.product(s, part, f)
			dense.Add(1, phi, v.phi)
			if p.w.Rows > 0 {
				v.objective += p.objective(s, part, f, phi)
			}
		}
		for _, f := range p.values {
			v.objective += f.factor * part.weight * f.squares(matrix.Columns(p.layout.tau[s], p.cols+f.first, f.cols))
		}
	}
	if a := p.layout.degrees; a.Rows > 0 {
		for i := range d {
			for j := i; j < d; j++ {
				v.phi.Data[i*d+j] += a.Data[i*a.Stride+j]
				if i != j {
					v.phi.Data[j*d+i] += a.Data[i*a.Stride+j]
				}
			}
		}
	}
	dense.Symmetrise(v.phi)
	return v
}

// product returns the contribution of a feature and a part to Φ, without degrees: factor·Σ_a B_a·Q·B_aᵀ, times −2 for
// distances.
func (p *pass) product(s int, part *part, f *feature) blas64.General {
	factor, d := f.factor*part.weight, p.linear.data.d
	if f.term.Base == kernelgen.SquaredDistance {
		factor *= -2
	}
	phi := matrix.New(d, d)
	for a := range part.k {
		b := matrix.Columns(matrix.Rows(p.layout.moments[s], a*d, d), f.first, f.cols)
		if f.landmarks != nil {
			b = dense.Mul(noTrans, b, noTrans, f.landmarks.project)
		}
		blas64.Gemm(noTrans, trans, factor, b, b, 1, phi)
	}
	return phi
}

// objective returns the contribution of a term and a part to J, if f follows from f'. phi is their contribution to Φ.
func (p *pass) objective(s int, part *part, f *feature, phi blas64.General) float64 {
	slopes := func() float64 { return part.weight * f.squares(p.sumsOf(s, f)) } // ΣΓ·f'/factor
	products := func() float64 { return dense.Dot(dense.Mul(noTrans, phi, noTrans, p.w).Data, p.w.Data) }
	switch t := f.term; {
	case f.landmarks == nil: // f = f(0) + f'·β
		constant := 0.0
		if !part.centred {
			constant = t.Weight * t.Value.At(0) * part.weight * dense.Dot(part.sums, part.sums)
		}
		return constant + products()
	case t.Power > 0: // f = (β + Offset)·f'/Power
		return (products() + t.Offset*f.factor*slopes()) / t.Power
	case t.Ratio != 0:
		return t.Weight * t.Value.Factor * slopes()
	}
	return 0
}

// squares returns Tr(τ·Q·τᵀ).
func (f *feature) squares(tau blas64.General) float64 {
	norm := dense.Frobenius(dense.Mul(noTrans, tau, noTrans, f.landmarks.project))
	return norm * norm
}
