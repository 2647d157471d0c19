//go:build !unix

package app

// maxRSS returns 0: the peak is unknown on this system.
func maxRSS() int64 { return 0 }
