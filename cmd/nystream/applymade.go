package main

// madeByModel returns how a file is made of what a model makes of rows.
func madeByModel(t *application, f *modelFile, rows *taken) *made {
	m := t.app.made()
	if m == nil {
		return nil
	}
	info := rows.source.Info()
	source := madeSource{Name: plainPath(info.Name), Rows: info.Rows, Columns: len(info.Columns)}
	if rows.input != nil {
		source = rows.input.madeSource(info.Rows)
	}
	m.Sources = append(m.Sources, source)
	if f.made != nil {
		m.Model, m.Errors = f.made.Command, f.made.Errors
	}
	return m
}
