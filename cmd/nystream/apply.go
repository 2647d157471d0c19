package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// application is what the verbs have in common that apply a model to rows.
type application struct {
	app      *app
	families []*savedFamily
	data     dataFlags
	graph    graphFlags // of a model of a graph
	output   string
	set      *flags.Set
}

// add adds the flags of an application.
func (t *application) add(s *flags.Set, completion flags.Completion) {
	t.set = s
	s.Add(flags.Flag{Name: "output", Short: "o", Arg: "file", Usage: "output file, or - for the standard output", Doc: "." + strings.Join(completion.Extensions, " ."),
		Group: flags.Output, First: true, Effect: flags.Writes, Value: flags.String(&t.output, ""), Complete: completion})
	addOutputFormat(t.app, s)
	t.data.add(s)
	t.graph.addReading(s)
}

// taken is what a model takes: rows of files, or the nodes of a graph.
type taken struct {
	*input   // nil for a graph
	graph    *graph.Graph
	source   stream.Source
	fields   []stream.Field // that are carried along
	kept     func(b *stream.Block, rows int) []stream.Column
	prepared *prepare.Source // nil for a graph or a kernel matrix
	dropped  func() int64
	held     int64 // numbers in memory besides what the model's plan knows
}

// budget adds what reading takes to all the rest.
func (t *taken) budget(a *app, b *stream.Budget) {
	if t.held > 0 {
		b.Add("kernel matrix, and beside it its transpose", t.held, "")
	}
	readerBudget(a, b, t.input)
}

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

// takenBy returns what rows a side of the model takes. The columns of a matrix are taken
// as they are: names, nulls and scaling are those of its rows.
func takenBy(f *modelFile, side model.Side, dimension int) takenRows {
	switch {
	case side == model.Right && f.data.Input == matrixInput:
		return takenRows{dimension: dimension}
	case side == model.Right && f.data.Input == pairsInput:
		return takenRows{f.data.RightColumns, f.data.RightPositions, f.data.indexBase(), dimension - f.right.Width(), f.right}
	}
	return takenRows{f.data.Columns, f.data.columnPositions, f.data.indexBase(), dimension - f.prepare.Width(), f.prepare}
}

// takenRows are the rows that a model takes.
type takenRows struct {
	names     []string // of the columns, if they have names
	position  columnPositions
	base      blockstore.IndexBase
	dimension int // columns of numbers
	prepare   prepare.Preparation
}

// open opens data for a model: the columns that it was fitted on, by name if it
// knows names and the command line chooses none, or by position where the data have no
// names, prepared as for the fit.
func (t takenRows) open(ctx context.Context, a *app, d dataFlags, paths []string) (*input, *prepare.Source, error) {
	if d.features = t.dimension; len(t.names) == 0 {
		d.features = max(t.dimension, t.position.Width)
	}
	if d.noNumbers = t.dimension == 0; d.noNumbers {
		d.columns = []string{"!*"}
	}
	for _, c := range t.prepare.Categories {
		d.words = append(d.words, c.Column)
	}
	explain := d.withIndexBase(t.base)
	files, err := a.session.OpenFiles(ctx, paths, d.optionsOf(a, paths))
	if err != nil {
		return nil, nil, fromData(explain(err))
	}
	d, byPosition := t.choose(d, files)
	in, err := d.choose(a, files)
	var fault *stream.DataError
	if errors.As(err, &fault) && len(t.names) > 0 && slices.Equal(d.columns, t.names) {
		err = stream.AsDataError(fault).Also("if columns of the model have other names there, choose %d with --columns, in the order of the fit",
			len(t.names))
	}
	if err != nil {
		return nil, nil, err
	}
	info := in.Info()
	found, want := len(info.Columns), t.dimension
	if found != want {
		in.close()
		return nil, nil, stream.NewDataError(info.Name, "it gives %d columns, and the model was fitted on %d", found, want).
			Do("choose them with --columns as for the fit%s", in.otherBase())
	}
	if byPosition {
		a.note("%s gives its columns no names: those of the model, %s, are taken by position", paths[0], shortList(t.names))
	}
	prepared, err := t.prepare.Apply(ctx, a.engine(), in)
	if err != nil {
		in.close()
		return nil, nil, fromData(err)
	}
	return in, prepared, nil
}

// rowsAnswer is what a verb makes of the rows of a model.
type rowsAnswer struct {
	request model.Request
	columns []string                                                          // of numbers, in the file
	fields  []stream.Field                                                    // that stand before those that rows carry along
	each    func(b *stream.Block, made blas64.General) (*stream.Batch, error) // see rowsFile
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
