//go:build !noasm

package simd

// applyWhole applies f to slices whose length is a multiple of vectorLanes.
func (f Function) applyWhole(dst, src []float64, p *[2]float64) {
	functionsF64NEON(uint64(f), &dst[0], &src[0], len(src)/vectorLanes, p)
}

// largestLanes sets lanes to the largest magnitudes in parts of x, whose length is a multiple of
// vectorLanes.
func largestLanes(x []float64, lanes *[vectorLanes]float64) {
	largestF64NEON(&x[0], len(x)/2, lanes)
}
