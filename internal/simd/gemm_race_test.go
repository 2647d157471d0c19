//go:build race

package simd

// Under the race detector, sync.Pool drops items at random.
func init() { poolsForget = true }
