//go:build unix

package program

import (
	"os"
	"runtime"
	"syscall"
)

// Peak returns the most memory, in bytes, that a process which has ended held at any time, 0
// where the system does not tell it.
func Peak(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(u.Maxrss) << 10
}
