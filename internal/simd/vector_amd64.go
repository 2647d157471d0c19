//go:build !noasm

package simd

// applyWhole applies f to slices whose length is a multiple of vectorLanes.
func (f Function) applyWhole(dst, src []float64, p *[2]float64) {
	if active == AVX512 {
		functionsF64AVX512(uint64(f), &dst[0], &src[0], len(src)/8, p)
		return
	}
	functionsF64AVX2(uint64(f), &dst[0], &src[0], len(src)/4, p)
}

// largestLanes sets lanes to the largest magnitudes in parts of x, whose length is a multiple of
// vectorLanes.
func largestLanes(x []float64, lanes *[vectorLanes]float64) {
	if active == AVX512 {
		largestF64AVX512(&x[0], len(x)/8, lanes)
		return
	}
	largestF64AVX2(&x[0], len(x)/4, lanes)
}
