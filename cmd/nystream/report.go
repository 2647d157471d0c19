package main

import (
	"encoding/json"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// used is what a run took.
type used struct {
	Seconds      show.Number `json:"seconds"`
	PeakRSSBytes int64       `json:"peak_rss_bytes"`
}

func (a *app) used() used { return used{show.Number(a.seconds()), peakRSS()} }

func (u used) String() string {
	return show.Seconds(float64(u.Seconds)) + ", peak memory " + show.Bytes(u.PeakRSSBytes)
}

// rowsResult is what verbs that write rows print as JSON.
type rowsResult struct {
	Model       string         `json:"model,omitempty"`
	Rows        int64          `json:"rows"`
	RowsDropped int64          `json:"rows_dropped"`
	Passes      map[string]int `json:"passes"`
	used
	Output string `json:"output,omitempty"`
}

// printRows prints a result, of which r is a part, with lines about the rest.
func (a *app) printRows(r *rowsResult, all any, rest func(t *show.Text)) error {
	r.used = a.used()
	t := &show.Text{Title: outputName(r.Output)}
	if r.Output == "" {
		t.Title = "predictions of " + r.Model
	}
	t.Add("rows", "%s", show.Count(r.Rows))
	rest(t)
	if r.RowsDropped > 0 {
		t.Add("dropped", "%s rows with nulls", show.Count(r.RowsDropped))
	}
	t.Add("work", "%v", r.used)
	return a.print(all, t)
}

// print writes a result to the standard output, or if that carries rows to the standard
// error: v as JSON, or t. Output files
// are complete by then, and stay when it fails.
func (a *app) print(v any, t *show.Text) error {
	a.progress.clear()
	if err := a.encode(v, t); err != nil {
		return fmt.Errorf("the report could not be printed: %w", err)
	}
	return nil
}

func (a *app) encode(v any, t *show.Text) error {
	if a.json() {
		return json.NewEncoder(a.reportTo()).Encode(v)
	}
	return t.Write(a.reportTo())
}
