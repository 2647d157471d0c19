//go:build race

package nyblas

// The race detector makes sync.Pool drop items at random.
func init() { poolsForget = true }
