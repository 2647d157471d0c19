package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// command returns the sub-command that runs a job.
func (m *fitter) command(j *job) *cobra.Command {
	cmd := &cobra.Command{
		Use:               m.name + " " + m.arguments,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteData,
		RunE:              func(cmd *cobra.Command, args []string) error { return runFit(cmd.Context(), j, args) },
	}
	j.set = flags.New(cmd)
	j.given = j.set.Given
	m.addFlags(j)
	return cmd
}

// addFlags adds the flags of the sub-command, and makes the task that they are of.
func (m *fitter) addFlags(j *job) {
	j.data.add(j.set)
	j.rows.add(j.set)
	j.states.add(j.set)
	j.draws.add(j.set)
	j.shown = make(map[model.Side]*sampled)
	j.set.Add(flags.Flag{Name: "output", Short: "o", Arg: "file", Usage: "the model, .npz", Group: flags.Output, First: true, Effect: flags.Writes,
		Value: flags.String(&j.output, ""), Complete: flags.ModelFiles})
	j.task = m.task(j)
	j.task.complete(j)
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
