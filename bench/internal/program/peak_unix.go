//go:build unix

package program

import (
	"os"
	"runtime"
	"syscall"
)

// Peak returns the peak memory of a finished process, in bytes; 0 if unknown.
func Peak(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) // bytes on this system, KiB elsewhere
	}
	return int64(u.Maxrss) << 10
}
