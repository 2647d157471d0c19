package main

import (
	"encoding/json"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream/prepare"
)

// used returns what the run took so far.
func (a *app) used() report.Used { return report.Used{Seconds: a.seconds(), PeakRSSBytes: peakRSS()} }

// rowsKeys are the keys of commands that write rows.
var rowsKeys = report.NewGroup("transform, predict and convert")

var keyRowsWritten = rowsKeys.Key("rows", "rows of the output")

// rowsResult is what all commands report that write rows.
type rowsResult struct {
	model       string
	rows        int64
	rowsDropped int64
	categories  []prepare.CategoryCount
	passes      map[string]int
	output      string
}

// printRows prints a result, to which rest adds fields unless it fails.
func printRows(a *app, r *rowsResult, rest func(out *report.Report) error) error {
	used := a.used()
	out := &report.Report{Title: outputName(r.output)}
	if r.output == "" {
		out.Title = "predictions of " + r.model
	}
	out.PutSome(report.KeyModel, r.model)
	out.Show(keyRowsWritten, r.rows, "rows", "%s", report.Count(r.rows))
	out.Put(report.KeyRowsDropped, r.rowsDropped)
	out.PutSome(report.KeyCategories, r.categories)
	out.Put(report.KeyPasses, r.passes)
	out.PutUsed(used)
	out.PutSome(report.KeyOutput, r.output)
	if err := rest(out); err != nil {
		return err
	}
	out.AddDropped(r.rowsDropped)
	out.AddCategories(r.categories)
	out.Add("work", "%v", used)
	return a.print(out)
}

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
