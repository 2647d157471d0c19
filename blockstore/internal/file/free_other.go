//go:build !(linux || darwin || freebsd || windows)

package file

// freeBytes returns -1: unknown on this system.
func freeBytes(string) int64 { return -1 }
