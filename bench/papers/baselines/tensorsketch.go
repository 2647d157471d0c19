package baselines

import (
	"fmt"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/nystream/nystream/sketch"
)

// tensorSketch is a random map S from rows of dim numbers to cols numbers whose
// inner products are those of tensor powers (Pham & Pagh 2013, "Fast and scalable
// polynomial kernels via explicit feature maps"):
//
//	E S(x)·S(y) = (x·y)^degree
//
// S(x) is a CountSketch of x⊗…⊗x with the hash h_1(i_1)+…+h_p(i_p) mod cols and
// the sign s_1(i_1)·…·s_p(i_p), so it is the circular convolution of p CountSketches
// of x: the product of their discrete Fourier transforms. The variance of
// S(x)·S(y) is at most (3^p − 1)·(‖x‖·‖y‖)^2p/cols (Avron, Nguyen & Woodruff 2014).
type tensorSketch struct {
	dim    int // numbers in a row
	cols   int // columns
	degree int // p

	hashes []int     // of copy t and coordinate i at t·dim+i, in 0..cols-1
	signs  []float64 // ±1, likewise
}

// newTensorSketch draws an operator. The arguments must be at least 1. Time and
// memory O(degree·dim).
func newTensorSketch(dim, cols, degree int, seed uint64, purpose string) (*tensorSketch, error) {
	if dim < 1 || cols < 1 || degree < 1 {
		return nil, fmt.Errorf("baselines: a TensorSketch of degree %d from %d to %d columns: each must be at least 1", degree, dim, cols)
	}
	s := &tensorSketch{dim: dim, cols: cols, degree: degree, hashes: make([]int, degree*dim), signs: make([]float64, degree*dim)}
	hashes, signs := sketch.NewRandom(seed, purpose), sketch.NewRandom(seed, purpose+" signs")
	for t := range degree {
		h, g := hashes.At(uint64(t)), signs.At(uint64(t))
		for i := range dim {
			s.hashes[t*dim+i] = int(h.Uint64n(uint64(cols)))
			s.signs[t*dim+i] = g.Sign()
		}
	}
	return s, nil
}

// hash returns the hash h_t of all coordinates for the copy 0 ≤ t < degree.
func (s *tensorSketch) hash(t int) []int { return s.hashes[t*s.dim:][:s.dim] }

// sign returns the signs s_t of all coordinates.
func (s *tensorSketch) sign(t int) []float64 { return s.signs[t*s.dim:][:s.dim] }

// tensorSketcher applies a tensorSketch. It belongs to one goroutine.
type tensorSketcher struct {
	s       *tensorSketch
	fft     *fourier.FFT
	count   []float64    // a CountSketch
	product []complex128 // of the transforms so far
	factor  []complex128
}

// sketcher returns what applies the operator; it takes about 8·cols numbers.
func (s *tensorSketch) sketcher() *tensorSketcher {
	w := &tensorSketcher{s: s}
	if s.degree > 1 {
		n := s.cols/2 + 1
		w.fft, w.count = fourier.NewFFT(s.cols), make([]float64, s.cols)
		w.product, w.factor = make([]complex128, n), make([]complex128, n)
	}
	return w
}

// apply puts S(x) into dst, of cols numbers. Cost p·(dim + O(cols·log cols)) operations
// for a cols with small prime factors. An entry is within ε·cols of the p-th power of
// Σ|x_i|, much less without a large prime factor.
func (w *tensorSketcher) apply(dst, x []float64) {
	s := w.s
	if s.degree == 1 {
		s.countSketch(dst, x, 0)
		return
	}
	for t := range s.degree {
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
		dst[i] /= float64(s.cols)
	}
}

// countSketch puts copy t into dst: the sum of the signed coordinates with each hash.
func (s *tensorSketch) countSketch(dst, x []float64, t int) {
	clear(dst)
	sign := s.sign(t)
	for i, j := range s.hash(t) {
		dst[j] += sign[i] * x[i]
	}
}
