//go:build unix

package app

import (
	"runtime"
	"syscall"
)

// maxRSS returns the peak memory in bytes, by getrusage.
func maxRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes on this system, KiB elsewhere
	}
	return int64(u.Maxrss) << 10
}
