//go:build race

package simd

// The race detector makes sync.Pool forget things on purpose.
func init() { poolsForget = true }
