package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// transportFamily are plans of optimal transport.
var transportFamily = &family{
	name:       transport.Name,
	methods:    []string{transport.Name},
	fitters:    []fitter{{transport.Name, "DATA... --right TARGETS...", transportShort, transportLong, newTransportTask}},
	load:       loader(transport.Load),
	unverified: ": they approximate no matrix; fit transport reports how far the masses of rows are off",
}

const transportShort = "entropic optimal transport of rows to other rows, and the map that it gives new ones (Cuturi 2013)"

const transportLong = `Find the plan T that moves the rows of DATA to the rows of --right at the least cost
⟨T, C⟩ + epsilon·KL(T ‖ abᵀ), by Sinkhorn's iteration: T = diag(u)·K·diag(v) with
K = kernel^(1/epsilon) and C = −log kernel. So 'rbf(gamma=10)' is a cost of 10·‖x−y‖², and
its gamma says how far the plan spreads. Rows have equal masses, or those of --weights and
--right-weights, a column or a file; masses are kept, or with --relax let go at a price.
Without --right DATA are moved to themselves.

nystream transform maps rows, seen or new: to where the plan sends them on the average, the
columns being those of the other side. --side right maps rows of TARGETS back. With
--map nearest a row moves as the nearest fitted row did.

Engines: exact visits all entries of K in every round, in the domain of logarithms, and keeps
all rows in the model; lowrank multiplies by a low-rank approximation of K, with --rank, in
memory that does not grow with the rows, and repairs rows whose sums are not positive. auto
takes lowrank where a --rank is given or there are many entries. The iteration ends after
--rounds, or when the masses of rows are within --tol. --divergence adds the debiased
divergence between the two sides, which is 0 for equal ones.`

// transportTask is a fit of transport.
type transportTask struct {
	*job
	how    transport.Sinkhorn // but for the seed and the memory
	engine word

	weights, rightWeights string
	asides                [2]asides // of the left and the right side

	kernel  kernelgen.Kernel
	solver  transport.Method
	masses  [2][]float64
	fitting *transport.Fit
}

func newTransportTask(j *job, cmd *cobra.Command) task {
	c := &transportTask{job: j}
	f := cmd.Flags()
	j.addKernel(cmd, "'rbf(gamma=10)'")
	j.addRight(cmd, "the targets")
	addChoice(cmd, &c.engine, "engine", "what sums over K are made of", words("auto", "exact", "lowrank"))
	j.addRank(cmd, "the low-rank approximation of K; 100 if not given")
	f.Float64Var(&c.how.Epsilon, "epsilon", 1, "`weight` of the entropy: K is the kernel to the power 1/epsilon")
	f.Float64Var(&c.how.From, "epsilon-from", 0, "larger `epsilon` to begin with, of which a quarter is taken until --epsilon: fewer rounds where that is small")
	f.IntVar(&c.how.Rounds, "rounds", 1000, "most `number` of rounds")
	f.Float64Var(&c.how.Tolerance, "tol", 1e-6, "`error` of the masses of rows, summed, at which the iteration ends")
	f.Float64Var(&c.how.Relax, "relax", 0, "`price` of masses that are not kept, such as 1; they are kept if not given")
	f.StringVar(&c.weights, "weights", "", "`column` or file of the masses of the rows of DATA; equal if not given")
	f.StringVar(&c.rightWeights, "right-weights", "", "`column` or file of the masses of the rows of --right")
	f.BoolVar(&c.how.Divergence, "divergence", false, "add the debiased divergence, which takes the transport of either side to itself")
	addChoice(cmd, &c.how.Map, "map", "how transform moves rows", []transport.Mapping{transport.MapKernel, transport.MapNearest}, "by the kernel", "as the nearest fitted row")
	f.IntVar(&c.how.Neighbours, "neighbours", 10_000, "most `number` of fitted rows of a side that --map nearest keeps")
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
		{c.given("epsilon-from") && !(positive(c.how.From) && c.how.From >= c.how.Epsilon), "--epsilon-from must be at least --epsilon"},
		c.without(c.engine == "lowrank" || c.given("rank"), "is for --engine exact: the low-rank engine has one kernel", "epsilon-from"),
		c.least("rounds", c.how.Rounds, 1),
		{!positive(c.how.Tolerance), "--tol must be above 0, such as 1e-6"},
		{c.given("relax") && !positive(c.how.Relax), "--relax must be above 0, such as 1"},
		c.without(!c.given("right"), "goes with --right", "right-weights"),
		c.least("neighbours", c.how.Neighbours, 1),
		c.without(c.how.Map != transport.MapNearest, "goes with --map nearest", "neighbours"),
		{c.rows.nulls == stream.NullsDrop && weighted, "--nulls drop would pair weights with the wrong rows: use zero or mean, or leave such rows out of the files"},
		{c.rows.scale != stream.ScaleNone, "--scale: rows are mapped among those of the other side, in their units; scale the files beforehand, or choose another kernel"},
	}
}

func (c *transportTask) parse() (err error) {
	if c.kernel, err = kernelgen.Parse(c.kernelText); err != nil {
		return err
	}
	s := c.how
	s.Seed, s.Memory = c.seed, int64(c.memory)
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

// said returns what the flags say of each row of a side.
func (c *transportTask) said(side model.Side) []aside {
	flag, value := "--weights", c.weights
	if side == model.Right {
		flag, value = "--right-weights", c.rightWeights
	}
	if value == "" {
		return nil
	}
	return []aside{newAside(flag, value)}
}

func (c *transportTask) inputs() (paths []string) {
	for _, a := range append(c.said(model.Left), c.said(model.Right)...) {
		if a.file != "" {
			paths = append(paths, a.file)
		}
	}
	return paths
}

// open opens both sides, and reads their weights.
func (c *transportTask) open(ctx context.Context, args []string) error {
	for _, side := range []model.Side{model.Left, model.Right} {
		files, in := args, &c.left
		if side == model.Right {
			files, in = c.rightFiles, &c.sides.right
		}
		if len(files) == 0 {
			continue
		}
		if err := c.openSide(ctx, side, files, in); err != nil {
			return err
		}
	}
	if r := c.sides.right; r != nil && len(r.Info().Columns) != len(c.left.Info().Columns) {
		return fromData(fmt.Errorf("%s has %d columns and %s has %d, so their rows cannot be compared; choose with --columns",
			c.left.Info().Name, len(c.left.Info().Columns), r.Info().Name, len(r.Info().Columns)))
	}
	return nil
}

func (c *transportTask) openSide(ctx context.Context, side model.Side, files []string, in **input) (err error) {
	said := &c.asides[side]
	if err := said.choose(ctx, c.job, files, c.said(side)); err != nil {
		return err
	}
	if *in, err = said.kept(c.data).open(ctx, c.app, files, readAgain); err != nil {
		return err
	}
	if err := (*in).checkRows(); err != nil || len(said.list) == 0 {
		return err
	}
	if err := said.readAll(ctx, c.app.engine(), &c.data, *in); err != nil {
		return err
	}
	w, err := said.read[said.list[0].flag].numbers()
	if err != nil {
		return err
	}
	if w.Cols != 1 {
		return usagef("%s: %d columns; weights are in one", said.list[0].named(), w.Cols)
	}
	for i := range w.Rows {
		c.masses[side] = append(c.masses[side], w.Data[i*w.Stride])
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
	return fmt.Sprintf("transport model of %s rows to %s, %s", show.Count(s.Rows), show.Count(s.Cols), c.kernel)
}

func (c *transportTask) plan(e stream.Engine) (*model.Plan, error) {
	p, err := c.solver.Plan(e, c.shape(), c.kernel)
	if err == nil && c.writesFactors() {
		p.Map("blocks of mapped rows", c.shape().Columns, c.shape().Columns)
		p.Passes++
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

// transportResult is what fit prints as JSON of transport.
type transportResult struct {
	*fitResult
	Engine        string        `json:"engine"`
	Epsilon       show.Number   `json:"epsilon"`
	Relax         *show.Number  `json:"relax,omitempty"`
	Map           string        `json:"map"`
	Rounds        int           `json:"rounds"`
	Before        int           `json:"rounds_before,omitempty"` // with larger epsilon
	Converged     bool          `json:"converged"`
	MarginalError show.Number   `json:"marginal_error"` // of the masses of rows, summed
	History       []show.Number `json:"history"`        // of it, after each round
	Cost          *show.Number  `json:"cost,omitempty"`
	Value         show.Number   `json:"value"` // the cost with the entropy
	Divergence    *show.Number  `json:"divergence,omitempty"`
}

func (c *transportTask) planned(r *planResult, _ *show.Text) { r.Kernel = c.kernel.String() }

func (c *transportTask) fitted(base *fitResult, t *show.Text) any {
	f := c.fitting
	r := &transportResult{fitResult: base, Engine: f.Engine.String(), Epsilon: show.Number(f.Epsilon), Map: f.Mapping().String(), Rounds: f.Rounds, Before: f.Before,
		Converged: !f.Unsettled, MarginalError: show.Number(f.MarginalError()), History: show.Numbers(f.History), Cost: show.Optional(f.Cost), Value: show.Number(f.Value), Divergence: show.Optional(f.Divergence)}
	if f.Relax > 0 {
		r.Relax = show.Optional(f.Relax)
	}
	t.Add("engine", "%s", r.Engine)
	before := ""
	if r.Before > 0 {
		before = fmt.Sprintf(" after %d with larger epsilon", r.Before)
	}
	t.Add("rounds", "%d%s, masses of rows %.2g off", r.Rounds, before, float64(r.MarginalError))
	if r.Cost != nil {
		t.Add("cost", "%.6g", float64(*r.Cost))
	}
	t.Add("value", "%.6g with the entropy, epsilon %g", float64(r.Value), float64(r.Epsilon))
	if r.Divergence != nil {
		t.Add("divergence", "%.6g", float64(*r.Divergence))
	}
	return r
}
