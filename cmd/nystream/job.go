package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// job is one command line of fit, or of plan fit, on its way from files to a model.
type job struct {
	*app
	method   string // the name of the sub-command
	task     task
	planning bool
	given    func(flag string) bool // whether it was given
	flags    *pflag.FlagSet
	args     []string

	data       dataFlags
	rows       preparationFlags
	kernelText string
	kernel     kernelgen.Kernel // of the flag, and after the fit with its numbers
	edges      graphFlags       // of fits that take a graph
	graph      *graph.Graph     // nil for rows
	rank       int
	rightFiles []string // of the right source
	asideFlags []asideFlag
	factors    []*factorFile
	output     string // the model
	states     stateFlags
	draws      drawFlags
	scale      word        // of coordinates: --coordinates
	run        *stream.Run // keeps states, or nil
	resumed    []resumption

	sides
	shown        map[model.Side]*sampled // rows that pictures show
	warnings     []string                // besides those of the report, as of columns that make nonsense of a fit
	scans        map[string]int          // passes before the fit began
	factorPasses int                     // that wrote factors, over each source
}

// task is what only the family knows of a fit. It embeds its job, whose methods do
// for it what it does not do itself.
type task interface {
	// refuses returns what the command line must not ask for.
	refuses(args []string) []contradiction
	// parse reads the words of flags that have a grammar; its errors are of wrong usage.
	parse() error
	inputs() []string // files that are read besides the arguments
	outputs() []fileFlag
	open(ctx context.Context, args []string) error
	openNotes() []string
	names() []string // of the sources, in reports
	title() string   // one line about the fit
	input() string   // what the two sides are, for models that have the word
	shape() model.Shape
	plan(e stream.Engine) (*model.Plan, error)
	prepare(ctx context.Context) error
	fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error)
	rowsData() rowsData
	// preparations are of the rows of the left and the right side of the model, see modelFile.
	preparations() (left, right prepare.Preparation)
	nodeIDs() []int64
	write(ctx context.Context, m model.Model) ([]pathWriter, error)
	// charts returns what is drawn of a finished fit, and marks the colours of rows that are
	// shown.
	charts(ctx context.Context, m model.Model, r *model.Report) ([]picture.Chart, error)
	marks(s *sampled, side model.Side) (*picture.Groups, *picture.Shades)
	// planned adds to what is printed of a plan, and fitted to what is printed of a fit.
	planned(r *planResult, t *show.Text)
	fitted(d *model.Description, r *show.Report)
}

// fileFlag is a file that a flag names.
type fileFlag struct {
	flag, path string
	extensions []string
	what       string // in the report
}

// factorFile is a file for what a model makes of the rows of a side.
type factorFile struct {
	flag, what string // U or V
	path       string
	side       model.Side
	kind       model.Kind // Coordinates, or Class for clusters
}

// do does what the command line asks for.
func (j *job) do(ctx context.Context, args []string) error {
	j.args = args
	if err := j.check(args); err != nil {
		return err
	}
	if err := j.task.parse(); err != nil {
		return &usageError{err}
	}
	defer j.close()
	if err := j.task.open(ctx, args); err != nil {
		return err
	}
	j.notes(j.task.openNotes())
	if j.planning && j.rows.widens() {
		j.scans = j.plannedScans()
		if err := j.task.prepare(ctx); err != nil {
			return err
		}
	}
	plan, err := j.wholePlan()
	if err != nil {
		return err
	}
	tooLarge := j.checkBudget(&plan.Memory)
	if !j.states.stops() && tooLarge == nil { // it reads rows
		j.warnings = j.suspicions(ctx)
		j.collect()
	}
	if j.planning {
		return j.reportPlan(plan)
	}
	if tooLarge != nil {
		return tooLarge
	}
	if err := j.openStates(plan); err != nil {
		return err
	}
	m, r, err := j.prepareAndFit(ctx)
	var stopped *stream.StoppedError
	switch {
	case errors.As(err, &stopped):
		return j.reportStopped(plan, stopped)
	case err != nil:
		return j.stateFault(err)
	case j.states.one():
		return j.reportNoShard()
	case j.states.join:
		return errors.New("--join: the passes of this fit have no states that could be joined")
	}
	return j.writeAndReport(ctx, m, r)
}

// prepareAndFit prepares the rows and fits the model.
func (j *job) prepareAndFit(ctx context.Context) (model.Model, *model.Report, error) {
	if err := j.task.prepare(ctx); err != nil {
		return nil, nil, err
	}
	j.tellPrepared()
	if j.prepared.dropped()+j.prepared.absent() > 0 || j.rows.widens() { // fewer rows, or more columns, than were planned for
		plan, err := j.wholePlan()
		if err == nil && j.rows.widens() {
			err = j.checkBudget(&plan.Memory)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if j.scans == nil {
		j.scans = j.allPasses()
	}
	return j.fitOrLeave(ctx)
}

// fitOrLeave fits the model, and leaves a fit behind that an interrupt does not end.
func (j *job) fitOrLeave(ctx context.Context) (model.Model, *model.Report, error) {
	type fitted struct {
		m model.Model
		r *model.Report
	}
	done := make(chan fitted, 1)
	err := stream.Leave(ctx, func(ctx context.Context) error {
		m, r, err := j.task.fit(ctx, j.passEngine())
		done <- fitted{m, r}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	f := <-done
	return f.m, f.r, nil
}

// writeAndReport writes all files of a fit, and reports.
func (j *job) writeAndReport(ctx context.Context, m model.Model, r *model.Report) error {
	j.origin = j.madeBy(r)
	j.digests = true
	writers, err := j.task.write(ctx, m)
	defer abortAll(writers) // does nothing after Commit
	if err != nil {
		return err
	}
	drawn, err := j.draw(ctx, m, r)
	defer abortAll(drawn)
	if err != nil {
		return err
	}
	err = writeAll(ctx, append(writers, drawn...), j.output, func() (blockstore.Output, error) {
		f := &modelFile{model: m, data: j.task.rowsData(), ids: j.task.nodeIDs()}
		var err error
		if f.data.Files, err = filesWith(ctx, writers, j.output); err != nil {
			return nil, err
		}
		if j.prepared.left != nil {
			f.prepare, f.right = j.task.preparations()
		}
		return f.prepareFile(j.session, j.output, j.origin)
	})
	if err != nil {
		return err
	}
	j.removeStates()
	j.notes(r.Notes)
	return j.reportFit(m, r)
}

// check refuses command lines that contradict themselves, and outputs that could not
// be written.
func (j *job) check(args []string) error {
	if err := refuse(append(j.task.refuses(args), j.refusesDrawing()...)); err != nil {
		return err
	}
	if j.output == "" && !j.planning && !j.states.stops() {
		return usagef("-o is missing: the model file, such as -o model.npz")
	}
	if err := j.data.check(); err != nil {
		return err
	}
	j.data.text = j.rows.Categories != prepare.EncodeNone
	inputs := append(append(args[:len(args):len(args)], j.rightFiles...), j.task.inputs()...)
	j.data.named = inputs
	for _, f := range j.task.outputs() {
		if f.path != "" && j.numbersOnly(f.path) && len(j.data.keep) > 0 {
			return usagef("%s %s: it would hold one matrix of numbers, and cannot carry columns along; write .parquet, .arrow or .csv, or leave out --keep", f.flag, f.path)
		}
	}
	if err := refuse(j.refusesStates(inputs)); err != nil {
		return err
	}
	return j.checkOutputs(append([]fileFlag{{"-o", j.output, modelExtensions, ""}}, j.allOutputs()...), inputs)
}

// allOutputs returns the files besides the model.
func (j *job) allOutputs() []fileFlag { return append(j.task.outputs(), j.draws.outputs()...) }

// wholePlan works out what the fit will cost, with reading and writing.
func (j *job) wholePlan() (*model.Plan, error) {
	e := j.engine()
	p, err := j.task.plan(e)
	if err != nil {
		return nil, &usageError{err}
	}
	j.states.budget(p)
	s := j.task.shape()
	j.draws.budget(p, s.Columns)
	for _, f := range j.factors {
		columns := j.rank
		if f.kind == model.Class {
			columns = 1
		}
		j.writerBudget(&p.Memory, f.path, max(s.Rows, s.Cols), columns)
	}
	if j.rows.Scale == prepare.ScaleQuantile && j.left != nil {
		p.Memory.Add("sample of rows for quantiles", prepare.SampleNumbers(s.Rows, s.Columns), "")
	}
	j.readerBudget(&p.Memory, j.left, j.sides.right)
	return p, nil
}

// writesFactors reports whether a file for factors is named.
func (j *job) writesFactors() bool { return j.writes(model.Coordinates) }

// writes reports whether a file for what a model makes of rows is named.
func (j *job) writes(kind model.Kind) bool {
	for _, f := range j.factors {
		if f.path != "" && f.kind == kind {
			return true
		}
	}
	return false
}

// writingPasses returns the passes over a source that write coordinates: one for each file.
func (j *job) writingPasses() (n int) {
	for _, f := range j.factors {
		if f.path != "" && f.kind == model.Coordinates && (n == 0 || j.sides.right == nil) {
			n++
		}
	}
	return n
}

// path returns the file that a flag of factors or clusters names, "" for none.
func (j *job) path(flag string) string {
	for _, f := range j.factors {
		if f.flag == flag {
			return f.path
		}
	}
	return ""
}

// What a job does where its task does nothing of its own.

func (j *job) parse() error  { return nil }
func (j *job) input() string { return "" }

func (j *job) openNotes() []string {
	if j.graph != nil {
		return graphNotes(j.graph)
	}
	return j.columnNotes()
}

func (j *job) nodeIDs() []int64 {
	if j.graph == nil {
		return nil
	}
	return j.graph.IDs
}

func (j *job) planned(r *planResult, _ *show.Text) { r.Kernel = j.kernel.String() }

func (j *job) outputs() (list []fileFlag) {
	for _, f := range j.factors {
		list = append(list, fileFlag{"--" + f.flag, f.path, outputExtensions, f.what})
	}
	return list
}

func (j *job) open(ctx context.Context, args []string) error {
	if err := j.sides.open(ctx, j.app, &j.data, args, &j.data, j.rightFiles); err != nil {
		return err
	}
	return j.checkColumns()
}

func (j *job) prepare(ctx context.Context) error {
	j.rows.AllColumns = slices.Contains(j.task.names(), "matrix")
	return j.sides.prepare(ctx, j.passEngine(), &j.rows)
}

func (j *job) names() []string {
	switch {
	case j.edges.path != "":
		return []string{graphInput}
	case j.sides.right != nil:
		return []string{"left", "right"}
	}
	return []string{"data"}
}

func (j *job) shape() model.Shape {
	s := model.Shape{Rows: rowsOf(j.left, j.prepared.left), Columns: columnsOf(j.left, j.prepared.left)}
	if j.sides.right != nil {
		s.Cols = rowsOf(j.sides.right, j.prepared.right)
	}
	return s
}

func (j *job) rowsData() rowsData {
	p := j.prepared.left.Preparation
	return rowsData{Nulls: p.Nulls.String(), Input: j.task.input(), Columns: knownNames(j.left, p),
		Categories: model.CategoriesOf(p), columnPositions: j.left.positions(p), IndexBase: j.indexBase()}
}

// knownNames returns the names of the columns that are prepared, nil if the columns of in have none.
func knownNames(in *input, p prepare.Preparation) []string {
	if p.Columns != nil {
		return p.Columns
	}
	if info := in.Info(); !info.Nameless {
		return info.Columns
	}
	return nil
}

func (j *job) preparations() (left, right prepare.Preparation) {
	return j.prepared.left.Preparation, prepare.Preparation{}
}

// write writes the factors, uncommitted, each in a pass over its source. The columns that rows
// carry along stand behind them, as transform has them.
func (j *job) write(ctx context.Context, m model.Model) (writers []pathWriter, err error) {
	t, ok := m.(model.Transformer)
	if !ok && (j.writesFactors() || j.writes(model.Class)) {
		return nil, errors.New("this model turns no rows into others")
	}
	for _, f := range j.factors {
		if f.path == "" {
			continue
		}
		rows := j.prepared.left
		if f.side == model.Right && j.prepared.right != nil {
			rows = j.prepared.right
		}
		r, err := j.request(t, f.side)
		if err != nil {
			return writers, err
		}
		if f.kind != model.Coordinates {
			r.Kinds = []model.Kind{f.kind}
		}
		w, err := j.newRowsFile(f.path, t, r, rows.Info().Rows, j.carried(f.path, rows))
		if err != nil {
			return writers, err
		}
		writers = append(writers, pathWriter{w, f.path})
		if err := w.fill(ctx, j.engine(), t, rows); err != nil {
			return writers, err
		}
	}
	return writers, nil
}

// request asks a model for the coordinates of rows on a side.
func (j *job) request(m model.Transformer, side model.Side) (model.Request, error) {
	return requestOf(m, side, j.scale, false)
}

// pathWriter is a file on its way that knows its name.
type pathWriter struct {
	blockstore.Output
	path string
}

func abortAll(writers []pathWriter) {
	for _, w := range writers {
		w.Abort()
	}
}

// writeAll puts the files that writers have filled under their names, and last of all the
// model, when all of them are complete on the disk. Of runs that write the same names at a time, the last one has them
// all. Each file is the old one or the new one whatever fails, and verify refuses a model beside the factors of another fit.
func writeAll(ctx context.Context, writers []pathWriter, output string, model func() (blockstore.Output, error)) error {
	for _, w := range writers {
		if err := w.Finish(); err != nil {
			return err
		}
	}
	m, err := model()
	if err != nil {
		return err
	}
	defer m.Abort() // does nothing after Commit
	release, err := blockstore.LockFolder(ctx, output)
	if err != nil {
		return err
	}
	defer release()
	for _, w := range append(slices.Clone(writers), pathWriter{m, output}) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := w.Commit(); err != nil {
			return err
		}
	}
	return nil
}
