package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// printMachine heads the tables with where and when they were made.
func printMachine(w io.Writer) {
	info, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	fmt.Fprintf(w, "# Roofline\n\n%s, %d threads, paths %s; %s %s/%s; %s.\n", cpuModel(string(info)), runtime.NumCPU(),
		pathsOrAll(""), runtime.Version(), runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format("2006-01-02 15:04 UTC"))
}

// cpuModel returns the processor's name with its family and model numbers, which say
// more than the names that virtual machines give.
func cpuModel(info string) string {
	field := func(name string) string {
		for line := range strings.Lines(info) {
			key, value, _ := strings.Cut(line, ":")
			if strings.TrimSpace(key) == name {
				return strings.TrimSpace(value)
			}
		}
		return "unknown"
	}
	return fmt.Sprintf("%s (family %s, model %s)", field("model name"), field("cpu family"), field("model"))
}
