//go:build !noasm

package simd

// repeatAssembly implements repeat by NEON, for at most peakRounds rounds.
func (s *peakSums) repeatAssembly(_ Path, rounds int) (lanes int) {
	peakF64NEON(&s.a, rounds)
	return 24 * 2
}
