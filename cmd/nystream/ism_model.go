package main

import (
	"context"
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/solvers/ism"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ismMeta is meta.json in the file of an ism model.
type ismMeta struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	ism.Header
	Data ismData `json:"data"`
}

// ismData says what rows the model takes, and what W is for.
type ismData struct {
	// Columns are the names of the columns, unless they only count.
	Columns []string `json:"columns,omitempty"`
	Nulls   string   `json:"nulls"`
	Known   string   `json:"known,omitempty"`   // the flag and columns of what was known
	Classes []string `json:"classes,omitempty"` // of the labels, in ascending order
}

// ismModel is an ism model with all that is needed to apply it.
type ismModel struct {
	meta    ismMeta
	model   *ism.Model
	prepare stream.Preparation
}

// model is what is written.
func (j *ismJob) model() *ismModel {
	m := &ismModel{model: j.fit.Model, prepare: j.prepared.left.Preparation}
	m.meta = ismMeta{Format: modelFormat, Version: modelVersion,
		Data: ismData{Nulls: nullWords[m.prepare.Nulls], Known: j.knownWords(), Classes: j.classes}}
	if columns := j.left.Info().Columns; !onlyCount(columns) {
		m.meta.Data.Columns = columns
	}
	return m
}

// write writes the model file.
func (m *ismModel) write(path string) error {
	saved, err := m.model.Save()
	if err != nil {
		return err
	}
	saved.ReadHeader(&m.meta.Header)
	file, err := newArchive(m.meta, saved.Arrays, m.prepare)
	if err != nil {
		return err
	}
	return blockstore.WriteArchive(path, file)
}

// ismModelOf reads a model from an archive. All that it says about itself is checked.
func ismModelOf(path string, file *blockstore.Archive) (*ismModel, error) {
	m := &ismModel{}
	if err := m.decode(file); err != nil {
		return nil, fromData(fmt.Errorf("%s: %w", path, err))
	}
	return m, nil
}

func (m *ismModel) decode(file *blockstore.Archive) (err error) {
	if err := json.Unmarshal(file.Meta, &m.meta); err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if err := checkFormat(m.meta.Format, m.meta.Version); err != nil {
		return err
	}
	if m.model, err = ism.Load(&contract.Archive{Header: file.Meta, Arrays: solverArrays(file)}); err != nil {
		return err
	}
	m.prepare, err = decodePreparation(file, m.meta.Data.Nulls, m.meta.Data.Columns, m.model.W.Rows)
	return err
}

// runISM projects rows with an ism model.
func (t *transformCommand) runISM(ctx context.Context, args []string, file *blockstore.Archive) error {
	m, err := ismModelOf(args[0], file)
	if err != nil {
		return err
	}
	if t.side.value == "right" || t.graph.nodes+t.graph.weight != "" {
		return usagef("--side right, --nodes and --weight are for other models: an ism model projects rows")
	}
	e, q := t.engine(), m.model.Dim()
	in, rows, err := takenRows{m.meta.Data.Columns, m.model.W.Rows, m.prepare}.open(ctx, t.app, t.data, args[1:], readOnce)
	if err != nil {
		return err
	}
	defer in.close()
	plan := m.model.TransformPlan(e, contract.Left, rows)
	readerBudget(&plan.Memory, in)
	writerBudget(&plan.Memory, t.output, rows.Info().Rows, q)
	if err := t.checkBudget(&plan.Memory); err != nil {
		return err
	}
	names, err := m.model.Outputs(contract.Left)
	if err != nil {
		return err
	}
	w, err := blockstore.Create(t.output, blockstore.Schema{Columns: names, Kept: rows.Info().Kept, Rows: rows.Info().Rows})
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	written := int64(0)
	err = m.model.Transform(ctx, e, contract.Left, rows, len(rows.Info().Kept) > 0, func(b *stream.Block, xw blas64.General) error {
		written += int64(xw.Rows)
		return w.Write(&stream.Batch{X: xw, Kept: b.Kept}, xw.Rows)
	})
	if err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	return t.report(&transformResult{Model: args[0], Rows: written, Columns: q, Kept: len(rows.Info().Kept),
		RowsDropped: rows.Dropped(), Passes: map[string]int{"data": in.Passes()}, Output: t.output})
}
