//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// Processor time grows linearly with the number of columns: eight times the columns take about eight times as long. A
// linear search for each column would take 64 times as long.
func TestWideTablesTakeStraightTime(t *testing.T) {
	t.Chdir(t.TempDir())
	const narrow, times = 8_000, 8
	for _, d := range []int{narrow, times * narrow} {
		writeWide(t, fmt.Sprintf("numbers%d.csv", d), d, "2.5")
		writeWide(t, fmt.Sprintf("texts%d.csv", d), d, "two")
		writeFile(t, fmt.Sprintf("sparse%d.libsvm", d), fmt.Sprintf("1 1:1 %d:1\n0 2:1\n", d))
	}
	for _, line := range []string{"inspect numbers%d.csv", "inspect texts%d.csv", "inspect sparse%d.libsvm", "convert texts%d.csv o.csv"} {
		seconds := func(d int) float64 {
			runtime.GC()
			before := processorSeconds(t)
			if code, _, says := guardedRun(t.Context(), fmt.Sprintf(line, d)+" --threads 1 --quiet"); code != app.ExitOK {
				t.Fatal(says)
			}
			return processorSeconds(t) - before
		}
		seconds(narrow) // warms up
		small := max(seconds(narrow), 0.005)
		ratio := seconds(times*narrow) / small
		for tries := 0; ratio > 3*times && tries < 2; tries++ { // a busy machine
			ratio = min(ratio, seconds(times*narrow)/small)
		}
		t.Logf("%s: %d times the columns take %.1f times the processor time", line, times, ratio)
		if ratio > 3*times {
			t.Errorf("%s: %d times the columns take %.1f times the processor time", line, times, ratio)
		}
	}
}

// writeWide writes a CSV file with d equal cells in each row, and their names.
func writeWide(t *testing.T, path string, d int, cell string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("y")
	for j := range d {
		fmt.Fprintf(&b, ",a%d", j)
	}
	for range 2 {
		b.WriteString("\n1" + strings.Repeat(","+cell, d))
	}
	writeFile(t, path, b.String()+"\n")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// processorSeconds returns the processor time of the process so far.
func processorSeconds(t *testing.T) float64 {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return float64(r.Utime.Sec) + float64(r.Utime.Usec)/1e6
}
