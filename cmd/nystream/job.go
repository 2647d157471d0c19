package main

import (
	"context"
	"errors"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// job is one command line of fit, or of plan fit, on its way from files to a model.
type job struct {
	app      *app
	method   string // the name of the sub-command
	task     *fitTask
	planning bool
	given    func(flag string) bool // whether it was given
	set      *flags.Set
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
	scale      flags.Word  // of coordinates: --coordinates
	run        *stream.Run // keeps states, or nil
	resumed    []resumption

	sides        sides
	shown        map[model.Side]*sampled // rows that pictures show
	warnings     []string                // besides those of the report, as of columns that make nonsense of a fit
	scans        map[string]int          // passes before the fit began
	factorPasses int                     // that wrote factors, over each source
}

// fitTask is what only the family knows of a fit. Where a function is nil, the job does what fits have in
// common; refuses, title, plan, fit and fitted are required.
type fitTask struct {
	// refuses refuses what the command line must not ask for.
	refuses func(refuse *flags.Refusals, args []string)
	// parse reads the words of flags that have a grammar; its errors are of wrong usage.
	parse     func() error
	inputs    func() []string // files that are read besides the arguments
	open      func(ctx context.Context, args []string) error
	openNotes func() []string
	names     func() []string // of the sources, in reports
	title     func() string   // one line about the fit
	shape     func() model.Shape
	plan      func(e stream.Engine) (*model.Plan, error)
	prepare   func(ctx context.Context) error
	fit       func(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error)
	rowsData  func() rowsData
	// preparations are of the rows of the left and the right side of the model, see modelFile.
	preparations func() (left, right prepare.Preparation)
	write        func(ctx context.Context, m model.Model) ([]pathWriter, error)
	// charts returns what is drawn of a finished fit, and marks the colours of rows that are
	// shown.
	charts func(ctx context.Context, m model.Model, r *model.Report) ([]picture.Chart, error)
	marks  func(s *sampled, side model.Side) (*picture.Groups, *picture.Shades)
	// planned adds to what is printed of a plan, and fitted to what is printed of a fit.
	planned func(r *planResult, t *report.Report)
	fitted  func(d *model.Description, r *report.Report)
}

// complete gives the functions that are nil those of the job.
func (t *fitTask) complete(j *job) {
	or(&t.parse, t.parse == nil, func() error { return nil })
	or(&t.inputs, t.inputs == nil, j.inputs)
	or(&t.open, t.open == nil, j.open)
	or(&t.openNotes, t.openNotes == nil, j.openNotes)
	or(&t.names, t.names == nil, j.names)
	or(&t.shape, t.shape == nil, j.shape)
	or(&t.prepare, t.prepare == nil, j.prepare)
	or(&t.rowsData, t.rowsData == nil, j.rowsData)
	or(&t.preparations, t.preparations == nil, j.preparations)
	or(&t.write, t.write == nil, j.write)
	or(&t.charts, t.charts == nil, j.charts)
	or(&t.marks, t.marks == nil, j.marks)
	or(&t.planned, t.planned == nil, j.planned)
}

// or sets a function that is missing to another one.
func or[F any](own *F, missing bool, other F) {
	if missing {
		*own = other
	}
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

// runFit does what the command line asks for.
func runFit(ctx context.Context, j *job, args []string) error {
	j.args = args
	if err := checkFit(j, args); err != nil {
		return err
	}
	if err := j.task.parse(); err != nil {
		return &flags.UsageError{Err: err}
	}
	defer j.sides.close()
	if err := j.task.open(ctx, args); err != nil {
		return err
	}
	j.app.notes(j.task.openNotes())
	if j.planning && j.rows.widens() {
		j.scans = plannedScans(j)
		if err := j.task.prepare(ctx); err != nil {
			return err
		}
	}
	plan, err := j.wholePlan()
	if err != nil {
		return err
	}
	tooLarge := j.app.checkBudget(&plan.Memory)
	if !j.states.stops() && tooLarge == nil { // it reads rows
		j.warnings = suspicions(ctx, j)
		j.app.collect()
	}
	if j.planning {
		return reportPlan(j, plan)
	}
	if tooLarge != nil {
		return tooLarge
	}
	if err := openStates(j, plan); err != nil {
		return err
	}
	m, r, err := prepareAndFit(ctx, j)
	var stopped *stream.StoppedError
	switch {
	case errors.As(err, &stopped):
		return reportStopped(j, plan, stopped)
	case err != nil:
		return stateFault(j, err)
	case j.states.one():
		return reportNoShard(j)
	case j.states.join:
		return errors.New("--join: the passes of this fit have no states that could be joined")
	}
	return writeAndReport(ctx, j, m, r)
}

// prepareAndFit prepares the rows and fits the model.
func prepareAndFit(ctx context.Context, j *job) (model.Model, *model.Report, error) {
	if err := j.task.prepare(ctx); err != nil {
		return nil, nil, err
	}
	tellPrepared(j)
	if j.sides.prepared.dropped()+j.sides.prepared.absent() > 0 || j.rows.widens() { // fewer rows, or more columns, than were planned for
		plan, err := j.wholePlan()
		if err == nil && j.rows.widens() {
			err = j.app.checkBudget(&plan.Memory)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if j.scans == nil {
		j.scans = allPasses(j)
	}
	return fitOrLeave(ctx, j)
}

// fitOrLeave fits the model, and leaves a fit behind that an interrupt does not end.
func fitOrLeave(ctx context.Context, j *job) (model.Model, *model.Report, error) {
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
func writeAndReport(ctx context.Context, j *job, m model.Model, r *model.Report) error {
	j.app.origin = madeBy(j, r)
	j.app.digests = true
	writers, err := j.task.write(ctx, m)
	defer abortAll(writers) // does nothing after Commit
	if err != nil {
		return err
	}
	drawn, err := draw(ctx, j, m, r)
	defer abortAll(drawn)
	if err != nil {
		return err
	}
	err = writeAll(ctx, append(writers, drawn...), j.output, func() (blockstore.Output, error) {
		f := &modelFile{model: m, data: j.task.rowsData(), ids: nodeIDs(j)}
		var err error
		if f.data.Files, err = filesWith(ctx, writers, j.output); err != nil {
			return nil, err
		}
		if j.sides.prepared.left != nil {
			f.prepare, f.right = j.task.preparations()
		}
		return f.prepareFile(j.app.session, j.output, j.app.origin)
	})
	if err != nil {
		return err
	}
	removeStates(j)
	j.app.notes(r.Notes)
	return reportFit(j, m, r)
}

// checkFit refuses command lines that contradict themselves, and outputs that could not
// be written.
func checkFit(j *job, args []string) error {
	if err := checkFlagsOf(j, args); err != nil {
		return err
	}
	if j.output == "" && !j.planning && !j.states.stops() {
		return flags.Usagef("-o is missing: the model file, such as -o model.npz")
	}
	if err := j.data.check(); err != nil {
		return err
	}
	j.data.text = j.rows.Categories != prepare.EncodeNone
	inputs := append(append(args[:len(args):len(args)], j.rightFiles...), j.task.inputs()...)
	j.data.named = inputs
	for _, f := range factorOutputs(j) {
		if f.path != "" && numbersOnly(j.app, f.path) && len(j.data.keep) > 0 {
			return flags.Usagef("%s %s: it would hold one matrix of numbers, and cannot carry columns along; write .parquet, .arrow or .csv, or leave out --keep", f.flag, f.path)
		}
	}
	refuse := j.set.Refuse()
	if refusesStates(j, refuse, inputs); refuse.Err() != nil {
		return refuse.Err()
	}
	return checkOutputs(j.app, append([]fileFlag{{"-o", j.output, flags.ModelExtensions, ""}}, allOutputs(j)...), inputs)
}

// checkFlagsOf refuses flags that mean nothing for the input, or contradict each other.
func checkFlagsOf(j *job, args []string) error {
	input, called := flags.Rows, "rows of DATA"
	switch {
	case j.edges.path != "":
		input, called = flags.Graph, "--graph"
	case j.set.Given("matrix") && j.set.Flag("matrix").For == flags.Matrix:
		input, called = flags.Matrix, "--matrix"
	}
	if err := j.set.Check(input, called); err != nil {
		return err
	}
	refuse := j.set.Refuse()
	j.task.refuses(refuse, args)
	refusesDrawing(j, refuse)
	if len(j.factors) > 0 {
		refuse.If(!slices.ContainsFunc(j.factors, func(f *factorFile) bool { return f.path != "" }), "output-format compression",
			"is for files of rows, and none is named: name one with --"+j.factors[0].flag+", or leave it out")
	}
	return refuse.Err()
}

// allOutputs returns the files besides the model.
func allOutputs(j *job) []fileFlag { return append(factorOutputs(j), j.draws.outputs()...) }

// wholePlan works out what the fit will cost, with reading and writing.
func (j *job) wholePlan() (*model.Plan, error) {
	e := j.app.engine()
	p, err := j.task.plan(e)
	if err != nil {
		return nil, &flags.UsageError{Err: err}
	}
	j.states.budget(p)
	s := j.task.shape()
	j.draws.budget(p, s.Columns)
	for _, f := range j.factors {
		columns := j.rank
		if f.kind == model.Class {
			columns = 1
		}
		writerBudget(j.app, &p.Memory, f.path, max(s.Rows, s.Cols), columns)
	}
	if j.rows.Scale == prepare.ScaleQuantile && j.sides.left != nil {
		p.Memory.Add("sample of rows for quantiles", prepare.SampleNumbers(s.Rows, s.Columns), "")
	}
	readerBudget(j.app, &p.Memory, j.sides.left, j.sides.right)
	return p, nil
}

// writesFactors reports whether a file for factors is named.
func writesFactors(j *job) bool { return writes(j, model.Coordinates) }

// writes reports whether a file for what a model makes of rows is named.
func writes(j *job, kind model.Kind) bool {
	for _, f := range j.factors {
		if f.path != "" && f.kind == kind {
			return true
		}
	}
	return false
}

// writingPasses returns the passes over a source that write coordinates: one for each file.
func writingPasses(j *job) (n int) {
	for _, f := range j.factors {
		if f.path != "" && f.kind == model.Coordinates && (n == 0 || j.sides.right == nil) {
			n++
		}
	}
	return n
}

// factorPath returns the file that a flag of factors or clusters names, "" for none.
func factorPath(j *job, flag string) string {
	for _, f := range j.factors {
		if f.flag == flag {
			return f.path
		}
	}
	return ""
}

// What a job does where its task does nothing of its own.

func (j *job) openNotes() []string {
	if j.graph != nil {
		return graphNotes(j.graph)
	}
	return j.sides.columnNotes()
}

func nodeIDs(j *job) []int64 {
	if j.graph == nil {
		return nil
	}
	return j.graph.IDs
}

func (j *job) planned(r *planResult, _ *report.Report) {
	if j.kernelText != "" {
		r.Kernel = j.kernel.String()
	}
}

func factorOutputs(j *job) (list []fileFlag) {
	for _, f := range j.factors {
		list = append(list, fileFlag{"--" + f.flag, f.path, flags.OutputExtensions, f.what})
	}
	return list
}

func (j *job) open(ctx context.Context, args []string) error {
	if err := j.sides.open(ctx, j.app, &j.data, args, &j.data, j.rightFiles); err != nil {
		return err
	}
	return j.sides.checkColumns()
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
	s := model.Shape{Rows: rowsOf(j.sides.left, j.sides.prepared.left), Columns: columnsOf(j.sides.left, j.sides.prepared.left)}
	if j.sides.right != nil {
		s.Cols = rowsOf(j.sides.right, j.sides.prepared.right)
	}
	return s
}

func (j *job) rowsData() rowsData {
	p := j.sides.prepared.left.Preparation
	return rowsData{Nulls: p.Nulls.String(), Columns: knownNames(j.sides.left, p),
		Categories: model.CategoriesOf(p), columnPositions: j.sides.left.positions(p), IndexBase: j.sides.indexBase()}
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
	return j.sides.prepared.left.Preparation, prepare.Preparation{}
}

// write writes the factors, uncommitted, each in a pass over its source. The columns that rows
// carry along stand behind them, as transform has them.
func (j *job) write(ctx context.Context, m model.Model) (writers []pathWriter, err error) {
	t, ok := m.(model.Transformer)
	if !ok && (writesFactors(j) || writes(j, model.Class)) {
		return nil, errors.New("this model turns no rows into others")
	}
	for _, f := range j.factors {
		if f.path == "" {
			continue
		}
		rows := j.sides.prepared.left
		if f.side == model.Right && j.sides.prepared.right != nil {
			rows = j.sides.prepared.right
		}
		r, err := j.request(t, f.side)
		if err != nil {
			return writers, err
		}
		if f.kind != model.Coordinates {
			r.Kinds = []model.Kind{f.kind}
		}
		w, err := newRowsFile(j.app, f.path, t, r, rows.Info().Rows, carried(j, f.path, rows))
		if err != nil {
			return writers, err
		}
		writers = append(writers, pathWriter{w, f.path})
		if err := w.fill(ctx, j.app.engine(), t, rows); err != nil {
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
