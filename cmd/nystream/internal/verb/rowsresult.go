package verb

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream/prepare"
)

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
func printRows(a *app.App, r *rowsResult, rest func(out *report.Report) error) error {
	used := a.Used()
	out := &report.Report{Title: app.OutputName(r.output)}
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
	return a.Print(out)
}
