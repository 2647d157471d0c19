package fit

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// command returns the sub-command that runs a job.
func (m *Verb) command(j *Job) *cobra.Command {
	arguments := m.Args + " -o MODEL"
	if j.planning {
		arguments = m.Args
	}
	cmd := &cobra.Command{
		Use:               m.Name + " " + arguments,
		GroupID:           "methods",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: flags.CompleteData,
		RunE:              func(cmd *cobra.Command, args []string) error { return runFit(cmd.Context(), j, args) },
	}
	j.Set = flags.New(cmd)
	j.Given = j.Set.Given
	m.addFlags(j)
	return cmd
}

// addFlags adds the flags of the sub-command and creates their task.
func (m *Verb) addFlags(j *Job) {
	j.Data.Add(j.Set)
	j.Rows.Add(j.Set)
	j.States.add(j.Set)
	j.Draws.add(j.Set)
	j.chartRows = make(map[model.Side]*Sampled)
	j.Set.Add(flags.Flag{Name: "output", Short: "o", Arg: "file", Usage: "the model, .npz", Group: flags.Output, First: true, Effect: flags.Writes,
		Value: flags.String(&j.output, ""), Complete: flags.ModelFiles})
	j.task = m.New(j)
	j.task.setDefaults(j)
}

// runFit runs the command line.
func runFit(ctx context.Context, j *Job, args []string) error {
	j.args = args
	if err := checkFit(j, args); err != nil {
		return err
	}
	if err := j.task.Parse(); err != nil {
		return &flags.UsageError{Err: err}
	}
	defer j.Sides.Close()
	if err := j.task.Open(ctx, args); err != nil {
		return err
	}
	j.App.Notes(j.task.OpenNotes())
	if j.planning && j.Rows.Widens() {
		j.Scans = plannedScans(j)
		if err := j.task.Prepare(ctx); err != nil {
			return err
		}
	}
	plan, err := j.WholePlan()
	if err != nil {
		return err
	}
	tooLarge := j.App.CheckBudget(&plan.Memory)
	j.Sides.Keep(j.App, &plan.Memory)
	if !j.States.Stops() && tooLarge == nil { // it reads rows
		j.Warnings = columnWarnings(ctx, j)
		j.App.Collect()
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
	case j.States.isShard():
		return reportNoShard(j)
	case j.States.join:
		return errors.New("--join: the passes of this fit have no states that could be joined")
	}
	return writeAndReport(ctx, j, m, r)
}

// prepareAndFit prepares the rows and fits the model.
func prepareAndFit(ctx context.Context, j *Job) (model.Model, *model.Report, error) {
	if err := j.task.Prepare(ctx); err != nil {
		return nil, nil, err
	}
	notePreparation(j)
	if j.Sides.Prepared.Dropped()+j.Sides.Prepared.ZeroWeightRows() > 0 || j.Rows.Widens() { // unlike the plan
		plan, err := j.WholePlan()
		if err == nil && j.Rows.Widens() {
			err = j.App.CheckBudget(&plan.Memory)
		}
		if err != nil {
			return nil, nil, err
		}
		j.Sides.Keep(j.App, &plan.Memory)
	}
	if j.Scans == nil {
		j.Scans = AllPasses(j)
	}
	j.sampled = gatheredRows(j)
	return fitOrLeave(ctx, j)
}

// fitOrLeave fits the model. It abandons a fit that an interrupt does not end.
func fitOrLeave(ctx context.Context, j *Job) (model.Model, *model.Report, error) {
	type fitted struct {
		m model.Model
		r *model.Report
	}
	done := make(chan fitted, 1)
	err := stream.RunOrAbandon(ctx, func(ctx context.Context) error {
		m, r, err := j.task.Fit(ctx, j.PassEngine())
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
func writeAndReport(ctx context.Context, j *Job, m model.Model, r *model.Report) error {
	j.App.Provenance = fitProvenance(j, r)
	j.App.Digests = true
	writers, err := j.task.Write(ctx, m)
	defer rows.AbortAll(writers) // no-op after Commit
	if err != nil {
		return err
	}
	drawn, err := draw(ctx, j, m, r)
	defer rows.AbortAll(drawn)
	if err != nil {
		return err
	}
	err = rows.WriteAll(ctx, append(writers, drawn...), j.output, func() (blockstore.Output, error) {
		f := &saved.File{Model: m, Data: j.task.RowsData(), IDs: nodeIDs(j)}
		var err error
		if f.Data.Files, err = saved.FileRecords(ctx, writers, j.output); err != nil {
			return nil, err
		}
		if j.Sides.Prepared.Left != nil {
			f.Prepare, f.Right = j.task.Preparations()
		}
		return f.PrepareFile(j.App.Session, j.output, j.App.Provenance)
	})
	if err != nil {
		return err
	}
	removeStates(j)
	j.App.Notes(r.Notes)
	return reportFit(j, m, r)
}

// checkFit fails for contradictory command lines, and for outputs that cannot be written.
func checkFit(j *Job, args []string) error {
	if err := checkFlagsOf(j, args); err != nil {
		return err
	}
	if j.output == "" && !j.planning && !j.States.Stops() {
		return flags.Usagef("-o is missing: the model file, such as -o model.npz")
	}
	if err := j.Data.Check(); err != nil {
		return err
	}
	j.Data.Text, j.Data.Dates = j.Rows.Categories != prepare.EncodeNone, j.Rows.Dates
	inputs := append(append(args[:len(args):len(args)], j.RightFiles...), j.task.Inputs()...)
	j.Data.NamedFiles = inputs
	for _, f := range factorOutputs(j) {
		if f.Path != "" && rows.NumbersOnly(j.App, f.Path) && len(j.Data.Keep) > 0 {
			return flags.Usagef("%s %s: it would hold one matrix of numbers, and cannot carry columns along; write .parquet, .arrow or .csv, or leave out --keep", f.Flag, f.Path)
		}
	}
	refuse := j.Set.Refuse()
	if refusesStates(j, refuse, inputs); refuse.Err() != nil {
		return refuse.Err()
	}
	return rows.CheckOutputs(j.App, append([]rows.FileFlag{{Flag: "-o", Path: j.output, Extensions: flags.ModelExtensions, What: ""}}, allOutputs(j)...), inputs)
}

// checkFlagsOf refuses flags that have no effect for the input, or contradict each other.
func checkFlagsOf(j *Job, args []string) error {
	input, called := flags.Rows, "rows of DATA"
	switch {
	case j.Edges.Path != "":
		input, called = flags.Graph, "--graph"
	case j.Set.Given("matrix") && j.Set.Flag("matrix").For == flags.Matrix:
		input, called = flags.Matrix, "--matrix"
	}
	if err := j.Set.Check(input, called); err != nil {
		return err
	}
	refuse := j.Set.Refuse()
	j.task.Refuses(refuse, args)
	refusesDrawing(j, refuse)
	if len(j.Factors) > 0 {
		refuse.If(!slices.ContainsFunc(j.Factors, func(f *FactorFile) bool { return f.Path != "" }), "output-format compression",
			"is for files of rows, and none is named: name one with --"+j.Factors[0].flag+", or leave it out")
	}
	return refuse.Err()
}

// WholePlan returns the cost of the fit, including reading and writing.
func (j *Job) WholePlan() (*model.Plan, error) {
	e := j.App.Engine()
	p, err := j.task.Plan(e)
	if err != nil {
		return nil, &flags.UsageError{Err: err}
	}
	j.States.budget(p)
	s := j.task.Shape()
	j.Draws.budget(p, s.Columns)
	for _, f := range j.Factors {
		columns := j.Rank
		if f.kind == model.Class {
			columns = 1
		}
		rows.WriterBudget(j.App, &p.Memory, f.Path, max(s.Rows, s.Cols), columns)
	}
	if j.Rows.Scale == prepare.ScaleQuantile && j.Sides.Left != nil {
		p.Memory.Add("sample of rows for quantiles", prepare.SampleNumbers(s.Rows, s.Columns), "")
	}
	rows.ReaderBudget(j.App, &p.Memory, j.Sides.Left, j.Sides.Right)
	return p, nil
}
