package verb

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
)

// outputProvenance returns the record for a file of a model's outputs.
func outputProvenance(t *application, f *saved.File, rows *modelInput) *app.Record {
	m := t.app.NewRecord()
	if m == nil {
		return nil
	}
	info := rows.source.Info()
	source := app.SourceRecord{Name: app.PlainPath(info.Name), Rows: info.Rows, Columns: len(info.Columns)}
	if rows.Input != nil {
		source = rows.Input.SourceRecord(info.Rows)
	}
	m.Sources = append(m.Sources, source)
	if f.Made != nil {
		m.Model, m.Errors = f.Made.Command, f.Made.Errors
	}
	return m
}
