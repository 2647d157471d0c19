package main

import (
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// madeBy returns how the files of a fit are made.
func madeBy(j *job, r *model.Report) *made {
	m := j.app.made()
	if m == nil {
		return nil
	}
	m.Sources = madeFrom(j)
	m.Errors = fitErrors(j.app, r)
	return m
}

// madeFrom returns the sources of a fit. Of what is no rows of files, such as a graph, the
// size is that of the matrix.
func madeFrom(j *job) (list []madeSource) {
	if j.sides.left == nil {
		s := j.task.shape()
		return []madeSource{{Name: dataName(j), Rows: s.Rows, Columns: int(s.Cols)}}
	}
	for _, in := range []struct {
		opened   *input
		prepared *prepare.Source
	}{{j.sides.left, j.sides.prepared.left}, {j.sides.right, j.sides.prepared.right}} {
		if in.opened != nil {
			list = append(list, in.opened.madeSource(rowsOf(in.opened, in.prepared)))
		}
	}
	return list
}
