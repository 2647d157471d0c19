package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// operatorFamily are operators between spaces of functions.
var operatorFamily = &family{
	name:       rkhs.Name,
	methods:    []string{rkhs.Name},
	fitters:    []fitter{{rkhs.Name, "X... --kind KIND [--with Y... | --lag L]", newOperatorTask}},
	load:       loader(rkhs.Load),
	inspect:    inspectOperator,
	unverified: ": they approximate no matrix; fit operator reports residuals and the trace that the features leave (trace_left)",
}

// trajectories says what the files of X are to --lag.
var trajectories = words("each", "all")

// operatorTask is a fit of operator.
type operatorTask struct {
	*job
	how   rkhs.Solver // but for its operator, kernel of y, rank, seed and memory
	kind  word
	ridge float64
	lag   int64
	files word // of trajectories

	trajectoryBy string
	withColumns  []string
	kernelYText  string
	matrixFiles  []string
	clusters     int

	solver  rkhs.Solver
	matrix  *input // B of kind explicit
	lengths []int64
	pairs   *rkhs.Data
	fitting *rkhs.Fit
	labels  []int // of the rows of X
}

func newOperatorTask(j *job, cmd *cobra.Command) task {
	c := &operatorTask{job: j}
	f := cmd.Flags()
	addChoice(cmd, &c.kind, "kind", "operator, see above", words(append(rkhs.OperatorNames(), explicitKind)...))
	f.Lookup("kind").DefValue = "" // there is none
	f.StringSliceVar(&j.rightFiles, "with", nil, "`files` whose row i is y of row i of X")
	completeFiles(cmd, dataExtensions, "with")
	f.StringSliceVar(&c.withColumns, "with-columns", nil, "columns of --with to compute with; those of X if not given")
	f.Int64Var(&c.lag, "lag", 0, "`number` of rows between the two rows of X that are a pair")
	addChoice(cmd, &c.files, "trajectories", "what --lag takes for a trajectory", trajectories, "one per file", "the files together")
	f.StringVar(&c.trajectoryBy, "trajectory-by", "", "`column` whose equal values are one trajectory, for --lag")
	j.addKernel(cmd, "'rbf(sigma=0.25)'")
	f.StringVar(&c.kernelYText, "kernel-y", "", "`kernel` of y; that of x if not given")
	j.addCompletion(cmd, completeKernels, "kernel-y")
	j.addRank(cmd, "singular or eigenvalues, a pair of conjugates whole")
	f.Float64Var(&c.ridge, "ridge", 1e-3, "`number` added to covariance operators before inversion")
	addChoice(cmd, &c.how.Task, "task", "decomposition", []rkhs.Task{rkhs.SVD, rkhs.Eigen})
	f.BoolVar(&c.how.Center, "center", false, "centre the features: covariances instead of second moments")
	addChoice(cmd, &c.how.Engine, "engine", "functions of the fit", []rkhs.Engine{rkhs.EngineAuto, rkhs.EngineExact, rkhs.EngineLandmark})
	f.IntVar(&c.how.Landmarks, "landmarks", 0, "most landmarks of a side by `number`; 300 if not given, 1000 if exact")
	f.StringSliceVar(&c.matrixFiles, "matrix", nil, "`files` of B of --kind explicit: a row per y, a column per x")
	completeFiles(cmd, dataExtensions, "matrix")
	f.IntVar(&c.clusters, "clusters", 0, "`number` of sets to find among the rows of X, from 2 on")
	j.addClusters(cmd, "write the set of each row of X")
	return c
}

// explicitKind is the kind whose matrix is in a file.
const explicitKind = "explicit"

// operator returns the operator that the flags name, without its matrix.
func (c *operatorTask) operator() rkhs.Operator {
	if c.kind == explicitKind {
		return rkhs.Explicit{Single: !c.paired()}
	}
	op, err := rkhs.ParseOperator(string(c.kind), max(0, c.ridge))
	if err != nil {
		panic("nystream: " + err.Error()) // the words are those of the flag
	}
	return op
}

// paired reports whether there are rows y.
func (c *operatorTask) paired() bool { return c.given("with") || c.given("lag") }

// oneSpace reports whether x and y are rows of one space.
func (c *operatorTask) oneSpace() bool {
	s := c.how
	s.Operator = c.operator()
	return c.given("lag") || s.OneSpace()
}

func (c *operatorTask) refuses(args []string) []contradiction {
	with, lag, explicit := c.given("with"), c.given("lag"), c.kind == explicitKind
	op := c.operator()
	return []contradiction{
		{len(args) == 0, noData},
		c.without(true, "carries nothing along here: use --keep", "label"),
		c.without(!c.writes(model.Class), "goes with --clusters-output", "keep"),
		c.needs(true, "kind", ", such as --kind cca; nystream help fit operator lists the kinds"),
		{with && lag, "--with and --lag both say what goes with the rows of X: leave one of them out"},
		c.without(op.Traits().Single && !explicit, "is for operators between x and y, and the covariance is of X alone: leave it out", "with", "lag"),
		{!op.Traits().Single && !with && !lag, fmt.Sprintf("--kind %s is between x and y: name the rows y with --with, or --lag for those of a time series", c.kind)},
		{lag && c.lag < 1, "--lag must be at least 1"},
		c.without(!lag, "goes with --lag", "trajectories", "trajectory-by"),
		c.without(!with, "goes with --with", "with-columns"),
		c.without(c.oneSpace() || !with, "is for operators between two spaces: leave it out", "kernel-y"),
		{slices.Contains(args, "-") && slices.Contains(c.rightFiles, "-"), "the standard input can serve only one side: name files for X or for --with"},
		{slices.Contains(c.matrixFiles, "-"), "--matrix is read from a file: write it to one first, with nystream convert"},
		{c.rows.Nulls == prepare.NullsDrop && (with || lag || explicit),
			"--nulls drop would pair rows that do not belong together: use zero or mean, or leave such pairs out of the files"},
		c.needs(true, "kernel", ", such as --kernel 'rbf(sigma=0.25)'"),
		c.needs(true, "rank", ": how many values are wanted, such as --rank 10"),
		c.least("rank", c.rank, 1),
		c.without(!op.Traits().Inverts, fmt.Sprintf("is for kinds with an inverse, and %s has none: leave it out", c.kind), "ridge"),
		{!(c.ridge >= 0 && c.ridge <= math.MaxFloat64), "--ridge must be 0 or more, such as 1e-3"},
		c.least("landmarks", c.how.Landmarks, 1),
		c.needs(explicit, "matrix", ": the file with B, such as --matrix B.npy"),
		c.without(!explicit, "is for --kind explicit", "matrix"),
		c.least("clusters", c.clusters, 2),
		c.without(c.clusters == 0, "goes with --clusters", "clusters-output"),
		{c.clusters > c.rank && c.given("rank"), fmt.Sprintf("--clusters %d takes as many functions: raise --rank to that", c.clusters)},
	}
}

func (c *operatorTask) inputs() []string { return c.matrixFiles }

func (c *operatorTask) parse() (err error) {
	c.apart = c.given("with") && !c.oneSpace()
	c.solver = c.how
	c.solver.Operator, c.solver.Rank, c.solver.Seed, c.solver.Memory = c.operator(), c.rank, c.seed, int64(c.memory)
	if c.kernel, err = kernelgen.Parse(c.kernelText); err != nil || c.kernelYText == "" {
		return err
	}
	y, err := kernelgen.Parse(c.kernelYText)
	if err != nil {
		return fmt.Errorf("--kernel-y: %w", err)
	}
	c.solver.KernelY = &y
	return nil
}

// open opens the rows, and the matrix of an operator that has one.
func (c *operatorTask) open(ctx context.Context, args []string) (err error) {
	with := c.data
	if len(c.withColumns) > 0 {
		with.columns = trimmed(c.withColumns)
	}
	if err := c.sides.open(ctx, c.app, c.keepTrajectories(c.data), args, &with, c.rightFiles); err != nil {
		return err
	}
	if len(c.matrixFiles) > 0 {
		if c.matrix, err = c.openMatrix(ctx); err != nil {
			return err
		}
		c.solver.Operator = rkhs.Explicit{B: c.matrix, Single: !c.paired()}
	}
	if err := c.findTrajectories(ctx); err != nil {
		return err
	}
	c.pairs, err = c.pair(c.left, c.sides.right)
	return err
}

// openMatrix opens B, whose files have nothing to do with the columns of X.
func (c *operatorTask) openMatrix(ctx context.Context) (*input, error) {
	d := c.data
	d.columns, d.format = nil, ""
	return d.open(ctx, c.app, c.matrixFiles)
}

// pair makes the pairs of rows; y is of --with.
func (c *operatorTask) pair(x stream.Source, y stream.Source) (d *rkhs.Data, err error) {
	switch {
	case c.given("with") && c.kind == explicitKind:
		d, err = rkhs.Unpaired(x, y)
	case c.given("with"):
		d, err = rkhs.Pairs(x, y)
	case c.given("lag"):
		d, err = rkhs.Lagged(x, c.lag, c.lengths...)
	default:
		d, err = rkhs.Single(x)
	}
	return d, fromData(err)
}

func (c *operatorTask) openNotes() []string {
	notes := c.job.openNotes()
	short := 0
	for _, n := range c.lengths {
		if n <= c.lag {
			short++
		}
	}
	if short > 0 && len(c.lengths) > 1 {
		what, remedy := "files", "; with `trajectories all` files are one"
		if c.trajectoryBy != "" {
			what, remedy = "trajectories", ""
		}
		notes = append(notes, fmt.Sprintf("%d of %d %s have no more rows than `lag` %d and give no pair%s", short, len(c.lengths), what, c.lag, remedy))
	}
	return notes
}

func (c *operatorTask) names() []string {
	if c.sides.right != nil {
		return []string{"data", "with"}
	}
	return []string{"data"}
}

func (c *operatorTask) input() string {
	if c.apart {
		return pairsInput
	}
	return ""
}

func (c *operatorTask) shape() model.Shape { return c.pairs.Shape() }

func (c *operatorTask) title() string {
	rows, shape := show.Count(c.pairs.Count())+" pairs of rows", c.shape()
	switch {
	case c.pairs.Single():
		rows = show.Count(c.pairs.Count()) + " rows"
	case shape.Rows != shape.Cols:
		rows = fmt.Sprintf("%s rows y and %s rows x", show.Count(shape.Cols), show.Count(shape.Rows))
	}
	return fmt.Sprintf("operator model of %s, %s, %v", c.kind, rows, c.how.Task)
}

// plan works out what the fit will cost, with the sets and pictures.
func (c *operatorTask) plan(e stream.Engine) (*model.Plan, error) {
	p, err := c.solver.Plan(e, c.shape(), c.kernel)
	if err != nil {
		return nil, err
	}
	if c.matrix != nil {
		p.SetNotShardable("the matrix of kind explicit goes with all pairs, which are in memory")
	}
	if rows := c.left.Info().Rows; c.clusters > 0 {
		p.SourcePasses++
		p.Add("functions at all rows, for sets", rows*int64(c.setColumns()), "`clusters`")
		p.Add("sets", 3*rows, "")
	}
	if c.draws.wanted() {
		p.Add("functions at rows of pictures", plotRows*2*int64(c.rank), "")
	}
	return p, nil
}

// prepare deals with nulls and scaling, and pairs the rows.
func (c *operatorTask) prepare(ctx context.Context) error {
	if err := c.job.prepare(ctx); err != nil {
		return err
	}
	var err error
	c.pairs, err = c.pair(c.prepared.left, c.prepared.right)
	return err
}

func (c *operatorTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver.Fit(ctx, e, c.pairs, c.kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting = f
	return f.Model, &f.Report, nil
}

// rowsData says which rows the sides take: where they are apart, the left functions are
// of y, as the operator goes from functions of x.
func (c *operatorTask) rowsData() rowsData {
	d := c.job.rowsData()
	if c.apart {
		left, right := c.preparations()
		d.Columns, d.RightColumns = knownNames(c.sides.right, left), knownNames(c.left, right)
		d.columnPositions, d.RightPositions = c.sides.right.positions(left), c.left.positions(right)
		d.Categories, d.RightCategories = model.CategoriesOf(left), model.CategoriesOf(right)
	}
	return d
}

func (c *operatorTask) preparations() (left, right prepare.Preparation) {
	if c.apart {
		return c.prepared.right.Preparation, c.prepared.left.Preparation
	}
	return c.job.preparations()
}
