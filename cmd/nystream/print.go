package main

import (
	"encoding/json"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// used returns what the run took so far.
func (a *app) used() report.Used { return report.Used{Seconds: a.seconds(), PeakRSSBytes: peakRSS()} }

// print writes a result to the standard output, or if that carries rows to the standard error.
// Output files are complete by then, and stay when it fails.
func (a *app) print(r *report.Report) error {
	a.progress.clear()
	if err := a.encode(r); err != nil {
		return fmt.Errorf("the report could not be printed: %w", err)
	}
	return nil
}

func (a *app) encode(r *report.Report) error {
	if a.json() {
		return json.NewEncoder(a.reportTo()).Encode(r)
	}
	return r.WriteText(a.reportTo())
}
