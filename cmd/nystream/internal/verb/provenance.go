package verb

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
)

// outputProvenance returns the record for a file of a model's outputs.
func outputProvenance(t *application, f *saved.File, rows *modelInput) *app.Provenance {
	m := t.app.NewProvenance()
	if m == nil {
		return nil
	}
	info := rows.source.Info()
	source := app.ProvenanceSource{Name: app.PlainPath(info.Name), Rows: info.Rows, Columns: len(info.Columns)}
	if rows.Input != nil {
		source = rows.Input.ProvenanceSource(info.Rows)
	}
	m.Sources = append(m.Sources, source)
	if f.Provenance != nil {
		m.Model, m.Errors = f.Provenance.Command, f.Provenance.Errors
	}
	return m
}
