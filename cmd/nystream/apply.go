package main

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// openTaken opens what a side of the model is applied to.
func openTaken(ctx context.Context, f *modelFile, t *application, m model.Transformer, side model.Side, paths []string) (*taken, error) {
	if f.data.Graph != nil {
		if err := t.set.Check(flags.Graph, "a model of a graph"); err != nil {
			return nil, err
		}
		return openNodes(ctx, f, t, side, paths)
	}
	if err := t.set.Check(flags.Rows, "a model of rows"); err != nil {
		return nil, err
	}
	if f.data.Input == kernelMatrixInput {
		return openKernelMatrix(ctx, f, t, m.Dimension(side), paths)
	}
	as := takenBy(f, side, m.Dimension(side))
	in, rows, err := as.open(ctx, t.app, t.data, paths)
	if err != nil {
		return nil, err
	}
	if f.prepare.Scaled() && !as.prepare.Scaled() && f.data.Input == matrixInput {
		t.app.note("the columns that the model was fitted on were scaled; those of %s are taken as they are", rows.Info().Name)
	}
	out := &taken{input: in, source: rows, fields: rows.Info().Kept, prepared: rows, dropped: rows.Dropped}
	if len(out.fields) > 0 {
		out.kept = func(b *stream.Block, _ int) []stream.Column { return b.Kept }
	}
	return out, nil
}

// readTransformer reads a model that turns rows into numbers.
func readTransformer(a *app, families []*savedFamily, path string) (*modelFile, model.Transformer, error) {
	f, err := readModel(a, families, path)
	if err != nil {
		return nil, nil, err
	}
	m, ok := f.model.(model.Transformer)
	if !ok {
		return nil, nil, flags.Usagef("%s is of family %s, whose models turn no rows into others", path, f.family.name)
	}
	return f, m, nil
}

// write writes an answer for rows to the output, if one is named, and returns what is told of them. An
// .npy file has no place for what they carry along. Cost: one pass.
func (t *application) write(ctx context.Context, f *modelFile, m model.Transformer, rows *taken, a *rowsAnswer,
	part shard) (*rowsResult, error) {
	e, info := t.app.engine(), rows.source.Info()
	e.Part, e.Parts = part.part, part.of
	plan := m.TransformPlan(e, rows.source, a.request)
	writerBudget(t.app, &plan.Memory, t.output, e.PartRows(info), len(a.columns)+len(a.fields))
	rows.budget(t.app, &plan.Memory)
	if err := t.app.checkBudget(&plan.Memory); err != nil {
		return nil, err
	}
	e.ReaderBytes = t.app.engine().ReaderBytes // as the budget has it
	t.app.origin = madeByModel(t, f, rows)
	w, kept := &rowsFile{request: a.request, each: a.each}, rows.fields
	w.request.Kept = rows.kept != nil
	if w.kept = rows.kept; formatOf(t.app, t.output) == "npy" {
		kept, w.kept = nil, nil
	}
	if t.output != "" {
		var err error
		s := blockstore.Schema{Columns: a.columns, Kept: slices.Concat(a.fields, kept), Rows: e.PartRows(info)}
		if w.Writer, err = create(t.app, t.output, s); err != nil {
			return nil, err
		}
		defer w.Abort() // does nothing after Commit
	}
	if err := w.fill(ctx, e, m, rows.source); err != nil {
		return nil, err
	}
	if w.Writer != nil {
		if err := w.Commit(); err != nil {
			return nil, err
		}
	}
	r := &rowsResult{model: f.path, rows: w.rows, rowsDropped: rows.dropped(), passes: map[string]int{"data": 1}, output: t.output}
	if rows.input != nil {
		r.passes["data"] = rows.Passes()
	}
	if rows.prepared != nil {
		r.categories = rows.prepared.Found()
	}
	return r, nil
}
