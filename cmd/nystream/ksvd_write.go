package main

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// write writes the factors, and last of all the model.
func (j *ksvdJob) write(ctx context.Context) error {
	return writeAll(ctx, j.writeFactors, func() error { return j.model().write(j.cmd.output) })
}

// writeFactors writes the factors, uncommitted.
func (j *ksvdJob) writeFactors(ctx context.Context) (writers []pathWriter, err error) {
	for _, f := range []struct {
		path, side string
		of         contract.Side
		rows       int64
	}{{j.cmd.left, "left", contract.Left, j.fit.Rows}, {j.cmd.other, "right", contract.Right, j.fit.Cols}} {
		if f.path == "" {
			continue
		}
		schema := blockstore.Schema{Columns: factorNames(f.side, j.fit.Rank()), Kept: j.keyFields(f.path), Rows: f.rows}
		w, err := blockstore.Create(f.path, schema)
		if err != nil {
			return writers, err
		}
		writers = append(writers, pathWriter{w, f.path})
		err = j.fit.EmbedFitted(ctx, j.cmd.engine(), f.of, func(start int64, u blas64.General) error {
			b := &stream.Batch{X: u}
			if len(schema.Kept) > 0 {
				b.Kept = nodeKeys{j.graph}.column(start, u.Rows)
			}
			return w.Write(b, u.Rows)
		})
		if err != nil {
			return writers, err
		}
	}
	if len(writers) > 0 && j.fit.U.Rows == 0 {
		j.factors = 1
	}
	return writers, nil
}

// keyFields is the column of node ids in a file of factors.
func (j *ksvdJob) keyFields(path string) []stream.Field {
	if j.graph == nil {
		return nil
	}
	return nodeKeys{j.graph}.fields(path)
}

// model is what is written, and what new rows need besides the fit.
func (j *ksvdJob) model() *ksvdModel {
	m := &ksvdModel{model: j.fit.Model}
	m.meta = ksvdMeta{Format: modelFormat, Version: modelVersion, Data: ksvdData{Input: j.kind()}}
	if j.graph != nil {
		m.meta.Data.Graph = &ksvdGraph{graphRecipe: j.cmd.graph.recipe(), Names: j.graph.Names}
		m.ids = j.graph.IDs
		return m
	}
	m.prepare = j.prepared.left.Preparation
	m.meta.Data.Nulls = nullWords[m.prepare.Nulls]
	if columns := j.left.Info().Columns; !onlyCount(columns) {
		m.meta.Data.Columns = columns
	}
	return m
}
