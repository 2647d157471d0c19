//go:build noasm || !(amd64 || arm64)

package simd

// Never called: this build has only the Go path.
func (s *peakSums) repeatAssembly(Path, int) int { panic("simd: no assembly in this build") }
