//go:build !noasm

package simd

// repeatAssembly implements repeat by AVX2 or AVX-512, for at most peakRounds rounds.
func (s *peakSums) repeatAssembly(p Path, rounds int) (lanes int) {
	if p == AVX512 {
		peakF64AVX512(&s.a, rounds)
		return 24 * 8
	}
	peakF64AVX2(&s.a, rounds)
	return 12 * 4
}
