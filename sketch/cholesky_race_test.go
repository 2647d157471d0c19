//go:build race

package sketch_test

// The race detector makes sync.Pool forget things on purpose.
func init() { poolsForget = true }
