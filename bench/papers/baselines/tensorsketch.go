package baselines

import (
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
	cols   int
	hashes [][]int     // of each copy and coordinate, in 0..cols-1
	signs  [][]float64 // ±1, likewise
}

// newTensorSketch draws an operator. The arguments must be at least 1. Time and
// memory O(degree·dim).
func newTensorSketch(dim, cols, degree int, seed uint64, purpose string) *tensorSketch {
	s := &tensorSketch{cols: cols, hashes: make([][]int, degree), signs: make([][]float64, degree)}
	hashes, signs := sketch.NewRandom(seed, purpose), sketch.NewRandom(seed, purpose+" signs")
	for t := range degree {
		h, g := hashes.At(uint64(t)), signs.At(uint64(t))
		for range dim {
			s.hashes[t] = append(s.hashes[t], int(h.Uint64n(uint64(cols))))
			s.signs[t] = append(s.signs[t], g.Sign())
		}
	}
	return s
}

// tensorSketcher applies a tensorSketch. It belongs to one goroutine.
type tensorSketcher struct {
	*tensorSketch
	fft     *fourier.FFT
	count   []float64    // a CountSketch
	product []complex128 // of the transforms so far
	factor  []complex128
}

// sketcher returns what applies the operator; it takes about 8·cols numbers.
func (s *tensorSketch) sketcher() *tensorSketcher {
	n := s.cols/2 + 1
	product, factor := make([]complex128, n), make([]complex128, n)
	return &tensorSketcher{s, fourier.NewFFT(s.cols), make([]float64, s.cols), product, factor}
}

// apply puts S(x) into dst, of cols numbers. Cost p·(dim + O(cols·log cols)) operations
// for a cols with small prime factors. An entry is within ε·cols of the p-th power of
// Σ|x_i|, much less without a large prime factor.
func (w *tensorSketcher) apply(dst, x []float64) {
	for t := range w.hashes {
		clear(w.count)
		for i, j := range w.hashes[t] {
			w.count[j] += w.signs[t][i] * x[i]
		}
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
		dst[i] /= float64(w.cols)
	}
}
