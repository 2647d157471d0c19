package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"golang.org/x/term"
)

// Used returns what the run took so far.
func (a *App) Used() report.Used { return report.Used{Seconds: a.seconds(), PeakRSSBytes: PeakRSS()} }

// IsTerminal reports whether out is a terminal, through which a person reads.
func IsTerminal(out io.Writer) bool {
	if p, ok := out.(*StandardOutput); ok {
		out = p.Writer
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Print writes a result to the standard output, or if that carries rows to the standard error.
// Output files are complete by then, and stay when it fails.
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
