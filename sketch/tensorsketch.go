package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/dsp/fourier"
)

// TensorSketch is a random map S from rows of Dim numbers to Cols numbers whose
// inner products are those of tensor powers (Pham & Pagh 2013, "Fast and scalable
// polynomial kernels via explicit feature maps"):
//
//	E S(x)·S(y) = (x·y)^Degree
//
// S(x) is a CountSketch of x⊗…⊗x with the hash h_1(i_1)+…+h_p(i_p) mod Cols and
// the sign s_1(i_1)·…·s_p(i_p), so it is the circular convolution of p CountSketches
// of x: the product of their discrete Fourier transforms. The variance of
// S(x)·S(y) is at most (3^p − 1)·(‖x‖·‖y‖)^2p/Cols (Avron, Nguyen & Woodruff 2014).
//
// The fields say what the operator is and must not be changed.
type TensorSketch struct {
	Dim     int // numbers in a row
	Cols    int // columns
	Degree  int // p
	Seed    uint64
	Purpose string // what the operator is for, see NewStream

	hash []int     // of copy t and coordinate i at t·Dim+i
	sign []float64 // ±1, likewise
}

// NewTensorSketch draws an operator. The arguments must be at least 1. Time and
// memory O(degree·dim).
func NewTensorSketch(dim, cols, degree int, seed uint64, purpose string) (*TensorSketch, error) {
	if dim < 1 || cols < 1 || degree < 1 {
		return nil, fmt.Errorf("sketch: a TensorSketch of degree %d from %d to %d columns: each must be at least 1", degree, dim, cols)
	}
	s := &TensorSketch{Dim: dim, Cols: cols, Degree: degree, Seed: seed, Purpose: purpose,
		hash: make([]int, degree*dim), sign: make([]float64, degree*dim)}
	hashes, signs := NewStream(seed, purpose), NewStream(seed, purpose+" signs")
	for t := range degree {
		h, g := hashes.At(uint64(t)), signs.At(uint64(t))
		for i := range dim {
			s.hash[t*dim+i] = int(h.Uint64n(uint64(cols)))
			s.sign[t*dim+i] = g.Sign()
		}
	}
	return s, nil
}

// Hash returns the hash h_t of all coordinates, in 0..Cols-1, for the copy
// 0 ≤ t < Degree. The caller must not modify it.
func (s *TensorSketch) Hash(t int) []int { return s.hash[t*s.Dim:][:s.Dim] }

// Sign returns the signs s_t of all coordinates. The caller must not modify them.
func (s *TensorSketch) Sign(t int) []float64 { return s.sign[t*s.Dim:][:s.Dim] }

// TensorSketcher applies a TensorSketch. It belongs to one goroutine.
type TensorSketcher struct {
	s       *TensorSketch
	fft     *fourier.FFT
	count   []float64    // a CountSketch
	product []complex128 // of the transforms so far
	factor  []complex128
}

// Sketcher returns what applies the operator; it takes about 8·Cols numbers.
func (s *TensorSketch) Sketcher() *TensorSketcher {
	w := &TensorSketcher{s: s}
	if s.Degree > 1 {
		n := s.Cols/2 + 1
		w.fft, w.count = fourier.NewFFT(s.Cols), make([]float64, s.Cols)
		w.product, w.factor = make([]complex128, n), make([]complex128, n)
	}
	return w
}

// Apply puts S(x) into dst, of Cols numbers. It panics unless x has Dim. Cost
// p·(Dim + O(Cols·log Cols)) operations for a Cols with small prime factors. An
// entry is within ε·Cols of the p-th power of Σ|x_i|, much less without a large
// prime factor.
func (w *TensorSketcher) Apply(dst, x []float64) {
	s := w.s
	if len(dst) != s.Cols || len(x) != s.Dim {
		panic(fmt.Sprintf("sketch: TensorSketch of %d numbers into %d, want %d into %d", len(x), len(dst), s.Dim, s.Cols))
	}
	if s.Degree == 1 {
		s.countSketch(dst, x, 0)
		return
	}
	for t := range s.Degree {
		s.countSketch(w.count, x, t)
		if t == 0 {
			w.fft.Coefficients(w.product, w.count)
			continue
		}
		w.fft.Coefficients(w.factor, w.count)
		for i, f := range w.factor {
			w.product[i] *= f
		}
	}
	w.fft.Sequence(dst, w.product)
	for i := range dst {
		dst[i] /= float64(s.Cols)
	}
}

// countSketch is copy t: the sum of the signed coordinates with each hash.
func (s *TensorSketch) countSketch(dst, x []float64, t int) {
	clear(dst)
	sign := s.Sign(t)
	for i, j := range s.Hash(t) {
		dst[j] += sign[i] * x[i]
	}
}
