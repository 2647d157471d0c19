package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// plannedFit has the fields of plans and reports that tests read.
type plannedFit struct {
	MemoryBytes   int64 `json:"memory_bytes"`
	PeakRSSBytes  int64 `json:"peak_rss_bytes"`
	KernelEntries int64 `json:"kernel_entries"`
	ExactPasses   int   `json:"exact_passes"`
}

// process runs the program in a separate process.
func process(t *testing.T, folder, line string) plannedFit {
	t.Helper()
	program := filepath.Join(folder, "nystream")
	if _, err := os.Stat(program); err != nil {
		self, err := os.Executable()
		if err == nil {
			err = os.Symlink(self, program)
		}
		if err != nil {
			t.Skipf("no second name for the test program: %v (needs a folder that allows links)", err)
		}
	}
	c := exec.Command(program, append(strings.Fields(line), "--format", "json", "--quiet")...)
	c.Dir = folder
	var messages strings.Builder
	c.Stderr = &messages
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v, %s", line, err, messages.String())
	}
	var r plannedFit
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%s: %v in %s", line, err, out)
	}
	return r
}

// testProgramBytes bounds the additional memory of the test program, compared with the command.
const testProgramBytes = 16 << 20

// A fit of a graph stays within its plan if --memory equals the plan. Another copy of the matrix would be 32 MB.
func TestKSVDMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; it runs without -short")
	}
	if app.PeakRSS() == 0 {
		t.Skip("this system does not tell the peak memory of a process; Linux and macOS do")
	}
	folder := t.TempDir()
	writeGraph(t, folder+"/g.csv", 2000, 20_000)
	for _, flags := range []string{
		"--kernel sne(gamma=2) --rank 3 --method exact --center --left-factors U.npy --right-factors V.npy",
		"--kernel sne(gamma=2) --rank 3 --method nystrom --landmarks 200 --center --left-factors U.npy --right-factors V.npy",
		"--kernel rbf(gamma=median) --rank 3 --method nystrom --landmarks 200",
	} {
		flags = "fit ksvd --graph g.csv " + flags
		plan := process(t, folder, "plan "+flags)
		fit := process(t, folder, fmt.Sprintf("%s -o m.npz --memory %d", flags, plan.MemoryBytes))
		t.Logf("%.1f MiB planned, %.1f MiB at the peak: %s", float64(plan.MemoryBytes)/(1<<20), float64(fit.PeakRSSBytes)/(1<<20), flags)
		if fit.PeakRSSBytes > plan.MemoryBytes+testProgramBytes {
			t.Errorf("%s: %d bytes at the peak, %d planned", flags, fit.PeakRSSBytes, plan.MemoryBytes)
		}
	}
}
