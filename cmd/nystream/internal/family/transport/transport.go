package transport

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Family is the family of optimal transport.
var Family = &fit.Family{
	Family: saved.Family{
		Name:           transport.Name,
		Methods:        []string{transport.Name},
		Load:           saved.Loader(transport.Load),
		WhyNotVerified: ": they approximate no matrix; fit transport reports how far the masses of rows are off",
	},
	Verbs: []fit.Verb{{Name: transport.Name, Args: "DATA... [--right TARGETS...] --kernel K", New: newTask}},
}

// task is a fit of transport.
type task struct {
	job      *fit.Job
	settings transport.Sinkhorn // without its seed
	engine   flags.Word

	weights, rightWeights string
	annotations           [2]fit.Annotations // of the left and the right side

	solver  transport.Method
	masses  [2][]float64
	fitting *transport.Fit
}

func newTask(j *fit.Job) *fit.Task {
	c := &task{job: j}
	j.AddKernel("kernel between two rows", "'rbf(gamma=10)'")
	j.AddRight("rows that are the targets")
	j.Set.Flag("right").First = true
	j.AddRank("columns of the approximation of K", "100 if not given")
	j.Set.Add(
		flags.Flag{Name: "epsilon", Arg: "weight", Usage: "weight of the entropy", Doc: "K is the kernel to the power 1/epsilon", First: true, Value: flags.Float(&c.settings.Epsilon, 1)},
		flags.Flag{Name: "engine", Field: "Method", Arg: "word", Usage: "products with K", Value: flags.Choice(&c.engine, flags.Words("auto", "exact", "lowrank"))},
		flags.Flag{Name: "iterations", Arg: "number", Usage: "most iterations", Value: flags.Int(&c.settings.Iterations, 1000)},
		flags.Flag{Name: "tol", Field: "MarginalTol", Arg: "error", Usage: "summed error of the row masses to reach", Value: flags.Float(&c.settings.MarginalTol, 1e-6)},
		flags.Flag{Name: "marginal-penalty", Arg: "price", Usage: "price of changing masses, such as 1", Doc: "without it each row keeps its mass", Value: flags.Float(&c.settings.MarginalPenalty, 0)},
	)
	j.AddAnnotation(flags.Flag{Name: "weights", Arg: "column", Usage: "masses of the rows of DATA", Doc: "in a column or file; equal if not given"}, &c.weights, model.Left)
	j.AddAnnotation(flags.Flag{Name: "right-weights", Arg: "column", Usage: "masses of the rows of --right", Doc: "in a column or file", Needs: "right"}, &c.rightWeights, model.Right)
	j.AddFactors("left-output", "mapped rows", model.Left, "write where the rows of DATA are mapped")
	j.AddFactors("right-output", "mapped targets", model.Right, "write where the rows of --right are mapped")
	return &fit.Task{Refuses: c.refuses, Parse: c.parse, Open: c.open, Title: c.title, Shape: c.size,
		Plan: c.plan, Fit: c.fit, Charts: c.charts, Fitted: c.fitted}
}

func (c *task) refuses(refuse *flags.Refusals, args []string) {
	weighted := c.job.Given("weights") || c.job.Given("right-weights")
	positive := func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	refuse.When(len(args) == 0, rows.NoData)
	refuse.If(true, "label", "carries nothing along here: use --keep")
	refuse.If(!fit.WritesFactors(c.job), "keep", "goes with --left-output or --right-output")
	refuse.When(slices.Contains(args, "-") && slices.Contains(c.job.RightFiles, "-"), rows.OneStandardInput)
	refuse.Missing(true, "kernel", ", such as --kernel 'rbf(gamma=10)'")
	refuse.Below("rank", c.job.Rank, 1)
	refuse.If(c.engine == "exact", "rank", "is for --engine lowrank")
	refuse.When(!positive(c.settings.Epsilon), "--epsilon must be above 0, such as 0.1")
	refuse.Below("iterations", c.settings.Iterations, 1)
	refuse.When(!positive(c.settings.MarginalTol), "--tol must be above 0, such as 1e-6")
	refuse.When(c.job.Given("marginal-penalty") && !positive(c.settings.MarginalPenalty), "--marginal-penalty must be above 0, such as 1")
	refuse.When(c.job.Rows.Nulls == prepare.NullsDrop && weighted, "--nulls drop would pair weights with the wrong rows: use zero or mean, or leave such rows out of the files")
	refuse.When(c.job.Rows.Scale != prepare.ScaleNone, "--scale: rows are mapped among those of the other side, in their units; scale the files beforehand, or choose another kernel")
	refuse.When(c.job.Rows.Categories != prepare.EncodeNone, "--categories: rows are mapped among those of the other side, and words have no mean; choose --columns of numbers")
}

func (c *task) parse() (err error) {
	if c.job.Kernel, err = kernelgen.Parse(c.job.KernelText); err != nil {
		return err
	}
	s := c.settings
	s.Seed = c.job.App.Seed
	switch c.engine {
	case "exact":
		c.solver = transport.Exact{Sinkhorn: s}
	case "lowrank":
		if c.job.Rank == 0 {
			c.job.Rank = 100
		}
		c.solver = transport.LowRank{Sinkhorn: s, Rank: c.job.Rank}
	default:
		c.solver = transport.Auto{Sinkhorn: s, Rank: c.job.Rank}
	}
	return nil
}

// open opens both sides, and reads their weights.
func (c *task) open(ctx context.Context, args []string) error {
	left, right := &c.annotations[model.Left], &c.annotations[model.Right]
	if err := left.Choose(ctx, c.job, args, model.Left); err != nil {
		return err
	}
	if err := right.Choose(ctx, c.job, c.job.RightFiles, model.Right); err != nil {
		return err
	}
	if err := c.job.Sides.Open(ctx, c.job.App, left.Kept(c.job.Data), args, right.Kept(c.job.Data), c.job.RightFiles); err != nil {
		return err
	}
	if err := c.job.Sides.CheckColumns(); err != nil {
		return err
	}
	for side, in := range []*rows.Input{c.job.Sides.Left, c.job.Sides.Right} {
		annotations := &c.annotations[side]
		if len(annotations.List) == 0 {
			continue
		}
		if err := annotations.ReadAll(ctx, c.job, in); err != nil {
			return err
		}
		w, err := annotations.Read[annotations.List[0].Flag].Numbers()
		if err != nil {
			return err
		}
		if w.Cols != 1 {
			return flags.Usagef("%s: %d columns; weights are in one", annotations.List[0].Text(), w.Cols)
		}
		c.masses[side] = matrix.Column(w, 0)
	}
	return nil
}

func (c *task) size() model.Size {
	s := c.job.Size()
	s.Weighted = c.masses[0] != nil || c.masses[1] != nil
	return s
}

func (c *task) title() string {
	s := c.size()
	if s.OneSource() {
		s.Cols = s.Rows
	}
	return fmt.Sprintf("transport model of %s rows to %s, %s", report.Count(s.Rows), report.Count(s.Cols), report.Rounded(c.job.Kernel.String()))
}

func (c *task) plan(e stream.Engine) (*model.Plan, error) {
	p, err := c.solver.Plan(e, c.size(), c.job.Kernel)
	if err == nil && fit.WritesFactors(c.job) {
		p.Map("blocks of mapped rows", c.size().Columns, c.size().Columns)
		p.SourcePasses += fit.WritingPasses(c.job)
	}
	return p, err
}

func (c *task) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver.Fit(ctx, e, &transport.Data{Sources: c.job.Sides.Prepared.Sources(), LeftWeights: c.masses[0], RightWeights: c.masses[1]}, c.job.Kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.job.Kernel = f, f.Kernel
	return f.Model, &f.Report, nil
}

// transportKeys has the JSON keys of fit transport.
var transportKeys = report.NewGroup("fit transport")

var (
	keyMarginalError   = transportKeys.Key("marginal_error", "summed error of the row masses")
	keyHistory         = transportKeys.Key("history", "marginal_error after each iteration")
	keyCost            = transportKeys.Key("cost", "transport cost")
	keyEpsilon         = transportKeys.Key("epsilon", "weight of the entropy")
	keyValue           = transportKeys.Key("value", "transport cost with the entropy")
	keyMarginalPenalty = transportKeys.Key("marginal_penalty", "price of masses that change (--marginal-penalty)")
)

func (c *task) fitted(_ *model.Description, r *report.Report) {
	f := c.fitting
	r.Show(report.KeyEngine, f.Algorithm.String(), "engine", "%s", f.Algorithm)
	r.Show(report.KeyIterations, f.Iterations, "iterations", "%d; row masses are off by %.2g", f.Iterations, f.MarginalError())
	r.Put(report.KeyConverged, !f.NotConverged)
	r.Put(keyMarginalError, f.MarginalError())
	r.Put(keyHistory, f.History)
	if !math.IsNaN(f.Cost) {
		r.Show(keyCost, f.Cost, "transport cost", "%.4g", f.Cost)
	}
	r.Put(keyEpsilon, f.Epsilon)
	r.Show(keyValue, f.Value, "with entropy", "%.4g, epsilon %g", f.Value, f.Epsilon)
	if f.MarginalPenalty > 0 {
		r.Put(keyMarginalPenalty, f.MarginalPenalty)
	}
}
