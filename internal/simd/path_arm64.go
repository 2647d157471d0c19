//go:build !noasm

package simd

// Available lists the paths of this machine, the slowest first. Every arm64 processor has NEON.
func Available() []Path { return []Path{Go, NEON} }
