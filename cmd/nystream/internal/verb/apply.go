package verb

import (
	"context"
	"errors"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// openModelInput opens the input of a side of the model. The model decides what kind it is: a graph, a kernel matrix,
// or rows that are prepared as for the fit. The caller closes it.
func openModelInput(ctx context.Context, f *saved.File, t *application, m model.Transformer, side model.Side, paths []string) (*modelInput, error) {
	if f.Data.Graph != nil {
		if err := t.set.Check(flags.Graph, "a model of a graph"); err != nil {
			return nil, err
		}
		return openNodes(ctx, f, t, side, paths)
	}
	if err := t.set.Check(flags.Rows, "a model of rows"); err != nil {
		return nil, err
	}
	if f.Data.Input == saved.KernelMatrixInput {
		return openKernelMatrix(ctx, f, t, m.Dimension(side), paths)
	}
	t.data.Live = t.live
	as := inputRowsOf(f, side, m.Dimension(side))
	in, rows, err := as.open(ctx, t.app, t.data, paths)
	if err != nil {
		return nil, err
	}
	if f.Prepare.Scaled() && !as.prepare.Scaled() && f.Data.Input == saved.MatrixInput {
		t.app.Note("the columns that the model was fitted on were scaled; those of %s are taken as they are", rows.Info().Name)
	}
	out := &modelInput{Input: in, source: rows, fields: rows.Info().Kept, prepared: rows, dropped: rows.Dropped}
	if len(out.fields) > 0 {
		out.kept = func(b *stream.Block, _ int) []stream.Column { return b.Kept }
	}
	return out, nil
}

// readTransformer reads a model that can transform rows.
func readTransformer(a *app.App, families []*saved.Family, path string) (*saved.File, model.Transformer, error) {
	f, err := saved.Read(a, families, path)
	if err != nil {
		return nil, nil, err
	}
	m, ok := f.Model.(model.Transformer)
	if !ok {
		return nil, nil, flags.Usagef("%s is of family %s, whose models do not transform rows", path, f.Family.Name)
	}
	return f, m, nil
}

// write writes the answers for rows to the output, if one is named, and returns the result to report. An .npy file
// cannot hold kept columns. Cost: one pass.
func (t *application) write(ctx context.Context, f *saved.File, m model.Transformer, opened *modelInput, a *rowsAnswer,
	part fit.Shard) (*rowsResult, error) {
	// The plan covers the transform alone. Reading and writing are added before anything is allocated, so that a run
	// over its budget ends without an output.
	e, info := t.app.Engine(), opened.source.Info()
	e.Part, e.Parts = part.Part, part.Of
	plan := m.TransformPlan(e, opened.source, a.request)
	rows.WriterBudget(t.app, &plan.Memory, t.output, e.PartRows(info), len(a.columns)+len(a.fields))
	opened.budget(t.app, &plan.Memory)
	if err := t.app.CheckBudget(&plan.Memory); err != nil {
		return nil, err
	}
	rows.Keep(t.app, &plan.Memory, opened.Input)
	rows.LimitBatches(t.app, &plan.Memory, opened.Input)
	e.ReaderBytes = t.app.Engine().ReaderBytes // as in the budget
	t.app.Provenance = outputProvenance(t, f, opened)
	w, kept := &rows.RowsFile{Request: a.request, Each: a.each}, opened.fields
	w.Request.Kept = opened.kept != nil
	if w.Kept = opened.kept; rows.FormatOf(t.app, t.output) == "npy" {
		kept, w.Kept = nil, nil
	}
	var err error
	s := blockstore.Schema{Columns: a.columns, Kept: slices.Concat(a.fields, kept), Rows: e.PartRows(info), Live: info.Live, AsList: a.asList}
	if t.terminal != nil {
		w.Writer, err = t.terminal, t.terminal.create(s)
	} else if t.output != "" {
		w.Writer, err = rows.Create(t.app, t.output, s)
	}
	if err != nil {
		return nil, err
	}
	if w.Writer != nil {
		defer w.Abort() // no-op after Commit
	}
	if err := w.Fill(ctx, e, m, opened.source); err != nil && !errors.Is(err, errTerminalFull) {
		return nil, err
	}
	if w.Writer != nil {
		if err := w.Commit(); err != nil {
			return nil, err
		}
	}
	r := &rowsResult{model: f.Path, rows: w.Rows, rowsDropped: opened.dropped(), passes: map[string]int{"data": 1}, output: t.output}
	if opened.Input != nil {
		r.passes["data"] = opened.Passes()
		read := opened.ReadStats(opened.Info().PassesToOpen)
		r.read = &read
	}
	if opened.prepared != nil {
		r.categories = opened.prepared.CategoryCounts()
	}
	return r, nil
}
