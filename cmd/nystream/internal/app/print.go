package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// Used returns the time and memory used so far.
func (a *App) Used() report.Used { return report.Used{Seconds: a.seconds(), PeakRSSBytes: PeakRSS()} }

// IsTerminal reports whether out is a terminal.
func IsTerminal(out io.Writer) bool {
	if p, ok := out.(*StandardOutput); ok {
		out = p.Writer
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Print writes a result to standard output, or to standard error if standard output carries rows. Output files are
// complete at that time, and remain if it fails.
func (a *App) Print(r *report.Report) error {
	a.Progress.clear()
	if err := a.encode(r); err != nil {
		return fmt.Errorf("the report could not be printed: %w", err)
	}
	return nil
}

func (a *App) encode(r *report.Report) error {
	if a.JSON() {
		return json.NewEncoder(a.reportTo()).Encode(r)
	}
	out := a.reportTo()
	return r.WriteText(out, IsTerminal(out) && os.Getenv("NO_COLOR") == "")
}
