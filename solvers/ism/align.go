package ism

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// align weighs the terms of the kernel by alignment maximisation (Cortes, Mohri &
// Rostamizadeh 2012, "Algorithms for learning kernels based on centered alignment",
// Proposition 9): the weights are the solution v of
//
//	min vᵀMv − 2·vᵀa   over v ≥ 0      M_tu = ⟨K_t, K_u⟩      a_t = ⟨K_t, Γ⟩
//
// with centred K_t, of a part of the sample, over the largest of them; or each for itself,
// a_t over its norms. Terms with weight 0 are left out, and weights that were given do not
// matter.
func (f *fitting) align() error {
	_, index := f.held.some(smallSample)
	var kernels []blas64.General // of norm 1
	var norms []float64
	for _, t := range f.terms {
		p := points{x: f.held.x}
		if t.local() {
			p.sigma = f.held.scale[t.Neighbour]
		}
		m, norm, err := t.centredKernel(p.at(index))
		if err != nil {
			return err
		}
		f.fit.KernelEntries += int64(m.Rows) * int64(m.Cols)
		kernels, norms = append(kernels, m), append(norms, norm)
	}
	v := alignmentWeights(kernels, f.knownAt(index), f.Weights == Independent)
	largest := 0.0
	for i := range v {
		v[i] /= norms[i]
		largest = math.Max(largest, v[i])
	}
	if !(largest > 0) {
		return fmt.Errorf("ism: no kernel of %v is aligned with what is known; give weights instead", f.kernel)
	}
	var aligned []kernelgen.Kernel
	for i, t := range f.terms {
		if v[i] > 0 {
			aligned = append(aligned, kernelgen.Scale(v[i]/largest, t.Kernel))
		}
	}
	f.kernel = kernelgen.Sum(aligned...)
	var err error
	f.terms, err = termsOf(f.kernel)
	return err
}

// centredKernel returns H·K·H over its norm, for the term without its weight.
func (t term) centredKernel(p points) (m blas64.General, norm float64, err error) {
	n := p.x.Rows
	m = stream.NewMatrix(n, n)
	e := t.entriesOf(t.Value, false)
	e.fill(m, p, e.pack(p), nil)
	centreBoth(m)
	norm = dense.Frobenius(m)
	if !(norm > 0 && norm <= math.MaxFloat64) {
		return m, 0, errKernel
	}
	sign := math.Copysign(1, t.Value.Factor)
	for i := range m.Data {
		m.Data[i] *= sign / norm
	}
	return m, norm * math.Abs(t.Value.Factor), nil
}

// centreBoth takes the means of rows and columns away from a symmetric matrix.
func centreBoth(m blas64.General) {
	n := float64(m.Rows)
	means, all := make([]float64, m.Rows), 0.0
	for i := range m.Rows {
		for _, v := range dense.Row(m, i) {
			means[i] += v / n
		}
		all += means[i] / n
	}
	for i := range m.Rows {
		for j := range m.Cols {
			m.Data[i*m.Stride+j] += all - means[i] - means[j]
		}
	}
}

// knownAt returns Γ between rows of the sample.
func (f *fitting) knownAt(index []int) blas64.General {
	all := f.known
	known := &Response{classes: all.classes}
	for _, i := range index {
		if r := f.held.rows[i]; all.codes != nil {
			known.codes = append(known.codes, all.codes[r])
		} else {
			known.factors.Data = append(known.factors.Data, dense.Row(all.factors, int(r))...)
		}
	}
	n := len(index)
	if known.codes == nil {
		known.factors.Rows, known.factors.Cols, known.factors.Stride = n, known.classes, known.classes
	}
	g := stream.NewMatrix(n, n)
	known.centred(1).tile(g, 0, 0, make([]float64, n*known.classes), false)
	return g
}

// alignmentWeights solves the problem of align by descent along one coordinate after the
// other, which finds its minimum since it is convex.
func alignmentWeights(kernels []blas64.General, target blas64.General, each bool) []float64 {
	k := len(kernels)
	m, a := stream.NewMatrix(k, k), make([]float64, k)
	for t := range k {
		a[t] = traceProduct(kernels[t], target)
		for u := range k {
			m.Data[t*k+u] = traceProduct(kernels[t], kernels[u])
		}
	}
	v := make([]float64, k)
	if each {
		for t := range k {
			v[t] = math.Max(0, a[t])
		}
		return v
	}
	for range 100000 {
		moved, size := 0.0, 0.0
		for t := range k {
			next := math.Max(0, v[t]+(a[t]-dense.Dot(dense.Row(m, t), v))/m.Data[t*k+t])
			moved, size = math.Max(moved, math.Abs(next-v[t])), math.Max(size, next)
			v[t] = next
		}
		if moved <= 1e-12*size {
			break
		}
	}
	return v
}
