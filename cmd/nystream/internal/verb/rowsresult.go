package verb

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/stream/prepare"
)

// rowsKeys has the JSON keys of commands that write rows.
var rowsKeys = report.NewGroup("transform, predict and convert")

var keyRowsWritten = rowsKeys.Key("rows", "rows of the output")

// rowsResult is the result common to all commands that write rows.
type rowsResult struct {
	model       string
	rows        int64
	rowsDropped int64
	categories  []prepare.CategoryCount
	passes      map[string]int
	read        *rows.ReadStats // nil for rows that are not in a file
	output      string
}

// printRows prints a result. rest adds the fields of the verb between the common ones.
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
	if r.read != nil {
		out.Put(report.KeyRead, map[string]*rows.ReadStats{"data": r.read})
	}
	out.PutUsed(used)
	out.PutSome(report.KeyOutput, r.output)
	if err := rest(out); err != nil {
		return err
	}
	out.AddDropped(r.rowsDropped)
	out.AddCategories(r.categories)
	if r.read != nil {
		out.Add("read", "%s", r.read.Words("rows by number"))
	}
	out.Add("work", "%v", used)
	return a.Print(out)
}
