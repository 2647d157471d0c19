package fit

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// fitProvenance returns the record for the files of a fit.
func fitProvenance(j *Job, r *model.Report) *app.Provenance {
	m := j.App.NewProvenance()
	if m == nil {
		return nil
	}
	m.Sources = sourceRecords(j)
	m.Errors = app.FitErrors(j.App, r)
	return m
}

// sourceRecords returns the sources of a fit. For a source that is not rows of files, such as a graph, the size is that
// of the matrix.
func sourceRecords(j *Job) (list []app.ProvenanceSource) {
	if j.Sides.Left == nil {
		s := j.task.Shape()
		return []app.ProvenanceSource{{Name: dataName(j), Rows: s.Rows, Columns: int(s.Cols)}}
	}
	for _, in := range []struct {
		opened   *rows.Input
		prepared *prepare.Source
	}{{j.Sides.Left, j.Sides.Prepared.Left}, {j.Sides.Right, j.Sides.Prepared.Right}} {
		if in.opened != nil {
			list = append(list, in.opened.ProvenanceSource(rows.RowsOf(in.opened, in.prepared)))
		}
	}
	return list
}
