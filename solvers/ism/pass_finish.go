package ism

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// finish makes Φ and J of the sums.
func (p *pass) finish() (*evaluation, error) {
	d := p.linear.data.d
	v := &evaluation{w: p.w, phi: stream.NewMatrix(d, d)}
	for s, part := range p.gamma.parts {
		eig, err := part.spectrum()
		if err != nil {
			return nil, err
		}
		for _, f := range p.features {
			v.objective += p.flatObjective(s, part, f)
			for e, tau := range eig.values {
				p.addProduct(v.phi, s, part, f, eig, e, tau)
			}
		}
	}
	v.objective += p.sumObjective()
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
	v.phi = dense.SymmetricPart(v.phi)
	return v, nil
}

// spectrum returns the decomposition of T without eigenvalues that are rounding.
func (p *part) spectrum() (*eigen, error) {
	eig, err := newEigen(p.table)
	if err != nil {
		return nil, err
	}
	largest := dense.MaxAbs(p.table)
	for e, tau := range eig.values {
		if math.Abs(tau) <= 1e-14*largest {
			eig.values[e] = 0
		}
	}
	return eig, nil
}

// addProduct adds the part of Φ that belongs to eigenvector e of T: with
// M = Σ_a v_a·B_a, coefficient·τ·(MP)·diag(signs)·(MP)ᵀ, and −2 times that for distances.
func (p *pass) addProduct(phi blas64.General, s int, part *part, f *feature, eig *eigen, e int, tau float64) {
	if tau == 0 {
		return
	}
	d := phi.Rows
	m := stream.NewMatrix(d, f.cols)
	for a := range part.k {
		v := eig.vectors.Data[a*eig.vectors.Stride+e]
		if v != 0 {
			dense.Add(v, dense.Columns(stream.RowSlice(p.layout.moments[s], a*d, d), f.first, f.cols), m)
		}
	}
	factor := f.coefficient * tau
	if f.term.Base == kernelgen.SquaredDistance {
		factor *= -2
	}
	if f.marks == nil {
		blas64.Gemm(noTrans, trans, factor, m, m, 1, phi)
		return
	}
	n := dense.Mul(noTrans, m, noTrans, f.marks.project)
	signed := dense.Clone(n)
	for i := range d {
		row := dense.Row(signed, i)
		for j, sign := range f.marks.signs {
			row[j] *= sign
		}
	}
	blas64.Gemm(noTrans, trans, factor, signed, n, 1, phi)
}

// flatObjective returns the part of J of a kernel whose f' is constant: f(0)·1ᵀΓ1 + f'·ΣΓβ.
func (p *pass) flatObjective(s int, part *part, f *feature) float64 {
	if f.marks != nil || p.w.Rows == 0 {
		return 0
	}
	d := p.linear.data.d
	z := stream.NewMatrix(part.k, p.w.Cols) // Σ_i g_ia·Wᵀx_i
	for a := range part.k {
		b := dense.Columns(stream.RowSlice(p.layout.moments[s], a*d, d), f.first, 1)
		for i := range d {
			dense.Axpy(b.Data[i*b.Stride], dense.Row(p.w, i), dense.Row(z, a))
		}
	}
	products := traceProduct(part.table, dense.Mul(noTrans, z, trans, z))
	if f.term.Base == kernelgen.SquaredDistance {
		products = 2*p.layout.spread[s] - 2*products
	}
	all := dense.Dot(part.sums, mulVector(part.table, part.sums))
	return f.term.Weight*f.term.Value.At(0)*all + f.coefficient*products
}

// sumObjective returns the part of J of the other kernels: Σ_ab T_ab·τ_a·Q·τ_bᵀ.
func (p *pass) sumObjective() float64 {
	if p.w.Rows == 0 {
		return 0
	}
	j := 0.0
	for s, part := range p.gamma.parts {
		for _, f := range p.features {
			if f.marks == nil || !f.term.known() {
				continue
			}
			all := quadratic(part.table, dense.Columns(p.layout.tau[s], f.first, f.cols), f.marks) // ΣΓ·f'/coefficient
			if f.term.Power > 0 {
				j += f.coefficient / f.term.Power * (p.innerProducts(s, part, f) + f.term.Offset*all)
			} else {
				j += f.term.Weight * f.term.Value.Factor * all
			}
		}
		for _, v := range p.values {
			j += v.factor * quadratic(part.table, dense.Columns(p.layout.tauF[s], v.first, v.cols), v.marks)
		}
	}
	return j
}

// innerProducts returns ΣΓ·f'·β over the coefficient of f', for β the inner products: that is
// Tr(Wᵀ·XᵀΨX·W).
func (p *pass) innerProducts(s int, part *part, f *feature) float64 {
	d := p.linear.data.d
	sum := 0.0
	for j := range p.w.Cols {
		projected := stream.NewMatrix(part.k, f.cols) // w_jᵀ·B_a
		for a := range part.k {
			b := dense.Columns(stream.RowSlice(p.layout.moments[s], a*d, d), f.first, f.cols)
			blas64.Gemv(trans, 1, b, blas64.Vector{N: d, Inc: p.w.Stride, Data: p.w.Data[j:]}, 0,
				dense.Vector(dense.Row(projected, a)))
		}
		sum += quadratic(part.table, projected, f.marks)
	}
	return sum
}

// quadratic returns Tr(T·(τP)·diag(signs)·(τP)ᵀ).
func quadratic(table, tau blas64.General, marks *landmarks) float64 {
	n := dense.Mul(noTrans, tau, noTrans, marks.project)
	signed := dense.Clone(n)
	for i := range n.Rows {
		row := dense.Row(signed, i)
		for j, sign := range marks.signs {
			row[j] *= sign
		}
	}
	return traceProduct(table, dense.Mul(noTrans, signed, trans, n))
}

// traceProduct returns Σ_ab A_ab·B_ab.
func traceProduct(a, b blas64.General) float64 {
	sum := 0.0
	for i := range a.Rows {
		sum += dense.Dot(dense.Row(a, i), dense.Row(b, i))
	}
	return sum
}

// featureSums returns the sums Gᵀ·C of the pass, for each part and term.
func (p *pass) featureSums() [][]blas64.General {
	all := make([][]blas64.General, len(p.gamma.parts))
	for s := range all {
		for _, f := range p.features {
			all[s] = append(all[s], dense.Clone(dense.Columns(p.layout.tau[s], f.first, f.cols)))
		}
	}
	return all
}
