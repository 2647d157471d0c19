//go:build !unix

package app

// maxRSS returns 0: it is not known here.
func maxRSS() int64 { return 0 }
