package verb

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
)

// madeByModel returns the record for a file of a model's outputs.
func madeByModel(t *application, f *saved.File, rows *taken) *app.Made {
	m := t.app.Made()
	if m == nil {
		return nil
	}
	info := rows.source.Info()
	source := app.MadeSource{Name: app.PlainPath(info.Name), Rows: info.Rows, Columns: len(info.Columns)}
	if rows.Input != nil {
		source = rows.Input.MadeSource(info.Rows)
	}
	m.Sources = append(m.Sources, source)
	if f.Made != nil {
		m.Model, m.Errors = f.Made.Command, f.Made.Errors
	}
	return m
}
