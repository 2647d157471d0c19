package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// PeakRSS returns the most memory that the process has held, in bytes: VmHWM where
// there is a /proc, else what getrusage says; 0 when nobody knows.
func PeakRSS() int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return maxRSS()
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return maxRSS()
}
