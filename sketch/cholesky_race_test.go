//go:build race

package sketch_test

// Under the race detector sync.Pool drops items at random.
func init() { poolsForget = true }
