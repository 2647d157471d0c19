//go:build race

package nyblas

// The race detector makes sync.Pool forget things on purpose.
func init() { poolsForget = true }
