package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// transportFamily is the family of optimal transport.
var transportFamily = &family{
	name:       transport.Name,
	methods:    []string{transport.Name},
	fitters:    []fitter{{transport.Name, "DATA... --right TARGETS...", newTransportTask}},
	load:       loader(transport.Load),
	unverified: ": they approximate no matrix; fit transport reports how far the masses of rows are off",
}

// transportTask is a fit of transport.
type transportTask struct {
	*job
	how    transport.Sinkhorn // but for the seed
	engine word

	weights, rightWeights string
	asides                [2]asides // of the left and the right side

	solver  transport.Method
	masses  [2][]float64
	fitting *transport.Fit
}

func newTransportTask(j *job, cmd *cobra.Command) task {
	c := &transportTask{job: j}
	f := cmd.Flags()
	j.addKernel(cmd, "'rbf(gamma=10)'")
	j.addRight(cmd, "the targets")
	addChoice(cmd, &c.engine, "engine", "method of products with K", words("auto", "exact", "lowrank"))
	j.addRank(cmd, "the low-rank approximation of K; 100 if not given")
	f.Float64Var(&c.how.Epsilon, "epsilon", 1, "`weight` of the entropy: K is the kernel to the power 1/epsilon")
	f.IntVar(&c.how.Iterations, "iterations", 1000, "most `number` of iterations")
	f.Float64Var(&c.how.MarginalTol, "tol", 1e-6, "summed `error` of the row masses that ends the iteration")
	f.Float64Var(&c.how.MarginalPenalty, "marginal-penalty", 0, "`price` of masses that change, such as 1; masses are kept if not given")
	j.addAside(cmd, &c.weights, "weights", "`column` or file of the masses of the rows of DATA; equal if not given", model.Left)
	j.addAside(cmd, &c.rightWeights, "right-weights", "`column` or file of the masses of the rows of --right", model.Right)
	j.addFactors(cmd, "left-output", "mapped rows", model.Left, "write where the rows of DATA are mapped,")
	j.addFactors(cmd, "right-output", "mapped targets", model.Right, "write where the rows of --right are mapped,")
	return c
}

func (c *transportTask) refuses(args []string) []contradiction {
	weighted := c.given("weights") || c.given("right-weights")
	positive := func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	return []contradiction{
		{len(args) == 0, noData},
		c.without(true, "carries nothing along here: use --keep", "label"),
		c.without(!c.writesFactors(), "goes with --left-output or --right-output", "keep"),
		oneStandardInput(args, c.rightFiles),
		c.needs(true, "kernel", ", such as --kernel 'rbf(gamma=10)'"),
		c.least("rank", c.rank, 1),
		c.without(c.engine == "exact", "is for --engine lowrank", "rank"),
		{!positive(c.how.Epsilon), "--epsilon must be above 0, such as 0.1"},
		c.least("iterations", c.how.Iterations, 1),
		{!positive(c.how.MarginalTol), "--tol must be above 0, such as 1e-6"},
		{c.given("marginal-penalty") && !positive(c.how.MarginalPenalty), "--marginal-penalty must be above 0, such as 1"},
		c.without(!c.given("right"), "goes with --right", "right-weights"),
		{c.rows.Nulls == prepare.NullsDrop && weighted, "--nulls drop would pair weights with the wrong rows: use zero or mean, or leave such rows out of the files"},
		{c.rows.Scale != prepare.ScaleNone, "--scale: rows are mapped among those of the other side, in their units; scale the files beforehand, or choose another kernel"},
		{c.rows.Categories != prepare.EncodeNone, "--categories: rows are mapped among those of the other side, and a mean of words is none; choose --columns of numbers"},
	}
}

func (c *transportTask) parse() (err error) {
	if c.kernel, err = kernelgen.Parse(c.kernelText); err != nil {
		return err
	}
	s := c.how
	s.Seed = c.seed
	switch c.engine {
	case "exact":
		c.solver = transport.Exact{Sinkhorn: s}
	case "lowrank":
		if c.rank == 0 {
			c.rank = 100
		}
		c.solver = transport.LowRank{Sinkhorn: s, Rank: c.rank}
	default:
		c.solver = transport.Auto{Sinkhorn: s, Rank: c.rank}
	}
	return nil
}

// open opens both sides, and reads their weights.
func (c *transportTask) open(ctx context.Context, args []string) error {
	left, right := &c.asides[model.Left], &c.asides[model.Right]
	if err := left.choose(ctx, c.job, args, model.Left); err != nil {
		return err
	}
	if err := right.choose(ctx, c.job, c.rightFiles, model.Right); err != nil {
		return err
	}
	if err := c.sides.open(ctx, c.app, left.kept(c.data), args, right.kept(c.data), c.rightFiles); err != nil {
		return err
	}
	if err := c.checkColumns(); err != nil {
		return err
	}
	for side, in := range []*input{c.left, c.sides.right} {
		said := &c.asides[side]
		if len(said.list) == 0 {
			continue
		}
		if err := said.readAll(ctx, c.job, in); err != nil {
			return err
		}
		w, err := said.read[said.list[0].flag].numbers()
		if err != nil {
			return err
		}
		if w.Cols != 1 {
			return usagef("%s: %d columns; weights are in one", said.list[0].named(), w.Cols)
		}
		c.masses[side] = matrixColumn(w, 0)
	}
	return nil
}

func (c *transportTask) shape() model.Shape {
	s := c.job.shape()
	s.Weighted = c.masses[0] != nil || c.masses[1] != nil
	return s
}

func (c *transportTask) title() string {
	s := c.shape()
	if s.OneSource() {
		s.Cols = s.Rows
	}
	return fmt.Sprintf("transport model of %s rows to %s, %s", report.Count(s.Rows), report.Count(s.Cols), c.kernel)
}

func (c *transportTask) plan(e stream.Engine) (*model.Plan, error) {
	p, err := c.solver.Plan(e, c.shape(), c.kernel)
	if err == nil && c.writesFactors() {
		p.Map("blocks of mapped rows", c.shape().Columns, c.shape().Columns)
		p.SourcePasses += c.writingPasses()
	}
	return p, err
}

func (c *transportTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver.Fit(ctx, e, &transport.Data{Sources: c.prepared.sources(), LeftWeights: c.masses[0], RightWeights: c.masses[1]}, c.kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.kernel = f, f.Kernel
	return f.Model, &f.Report, nil
}

// transportKeys are the keys of fit transport.
var transportKeys = report.NewGroup("fit transport")

var (
	keyMarginalError   = transportKeys.Key("marginal_error", "summed error of the row masses")
	keyHistory         = transportKeys.Key("history", "marginal_error after each iteration")
	keyCost            = transportKeys.Key("cost", "transport cost")
	keyEpsilon         = transportKeys.Key("epsilon", "weight of the entropy")
	keyValue           = transportKeys.Key("value", "transport cost with the entropy")
	keyMarginalPenalty = transportKeys.Key("marginal_penalty", "price of masses that change (--marginal-penalty)")
)

func (c *transportTask) fitted(_ *model.Description, r *report.Report) {
	f := c.fitting
	r.Show(report.KeyEngine, f.Engine.String(), "engine", "%s", f.Engine)
	r.Show(report.KeyIterations, f.Iterations, "iterations", "%d, row masses %.2g off", f.Iterations, f.MarginalError())
	r.Put(report.KeyConverged, !f.NotConverged)
	r.Put(keyMarginalError, f.MarginalError())
	r.Put(keyHistory, f.History)
	if !math.IsNaN(f.Cost) {
		r.Show(keyCost, f.Cost, "cost", "%.6g", f.Cost)
	}
	r.Put(keyEpsilon, f.Epsilon)
	r.Show(keyValue, f.Value, "value", "%.6g with the entropy, epsilon %g", f.Value, f.Epsilon)
	if f.MarginalPenalty > 0 {
		r.Put(keyMarginalPenalty, f.MarginalPenalty)
	}
}
