package app

import (
	"encoding/json"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// Used returns what the run took so far.
func (a *App) Used() report.Used { return report.Used{Seconds: a.seconds(), PeakRSSBytes: PeakRSS()} }

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
	return r.WriteText(a.reportTo())
}
