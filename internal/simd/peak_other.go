//go:build noasm || !(amd64 || arm64)

package simd

// peak is never called: this build has no path but Go.
func (j *job) peak(Path, bool) int { panic("simd: no assembly in this build") }
