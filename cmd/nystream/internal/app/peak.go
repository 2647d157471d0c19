package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// PeakRSS returns the peak memory of the process in bytes: VmHWM from /proc if it exists, else by getrusage; 0 if
// unknown.
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
