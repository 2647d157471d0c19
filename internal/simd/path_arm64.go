//go:build !noasm

package simd

// Available lists the paths that this machine has, the slowest first: every
// arm64 processor has NEON.
func Available() []Path { return []Path{Go, NEON} }
