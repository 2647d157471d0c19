//go:build noasm || !(amd64 || arm64)

package simd

// whole is never called: this build has only the Go path.
func (p *rowProduct) whole(_, _ int) { panic("simd: no assembly in this build") }
