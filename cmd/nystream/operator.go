package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// trajectories says what the files of X are to --lag.
var trajectories = flags.Words("each", "all")

// operatorTask is a fit of operator.
type operatorTask struct {
	job   *job
	how   rkhs.Solver // but for its operator, kernel of y, rank, seed and memory
	kind  flags.Word
	ridge float64
	lag   int64
	files flags.Word // of trajectories

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
func (c *operatorTask) paired() bool { return c.job.given("with") || c.job.given("lag") }

// oneSpace reports whether x and y are rows of one space.
func (c *operatorTask) oneSpace() bool {
	s := c.how
	s.Operator = c.operator()
	return c.job.given("lag") || s.OneSpace()
}

func (c *operatorTask) refuses(refuse *flags.Refusals, args []string) {
	with, lag, explicit := c.job.given("with"), c.job.given("lag"), c.kind == explicitKind
	op := c.operator()
	refuse.When(len(args) == 0, noData)
	refuse.If(true, "label", "carries nothing along here: use --keep")
	refuse.If(!writes(c.job, model.Class), "keep", "goes with --clusters-output")
	refuse.Missing(true, "kind", ", such as --kind cca; nystream help fit operator lists the kinds")
	refuse.When(with && lag, "--with and --lag both say what goes with the rows of X: leave one of them out")
	refuse.If(op.Traits().Single && !explicit, "with lag", "is for operators between x and y, and the covariance is of X alone: leave it out")
	refuse.When(!op.Traits().Single && !with && !lag, fmt.Sprintf("--kind %s is between x and y: name the rows y with --with, or --lag for those of a time series", c.kind))
	refuse.When(lag && c.lag < 1, "--lag must be at least 1")
	refuse.If(c.oneSpace() || !with, "kernel-y", "is for operators between two spaces: leave it out")
	refuse.When(slices.Contains(args, "-") && slices.Contains(c.job.rightFiles, "-"), "the standard input can serve only one side: name files for X or for --with")
	refuse.When(slices.Contains(c.matrixFiles, "-"), "--matrix is read from a file: write it to one first, with nystream convert")
	refuse.When(c.job.rows.Nulls == prepare.NullsDrop && (with || lag || explicit), "--nulls drop would pair rows that do not belong together: use zero or mean, or leave such pairs out of the files")
	refuse.Missing(true, "kernel", ", such as --kernel 'rbf(sigma=0.25)'")
	refuse.Missing(true, "rank", ": how many values are wanted, such as --rank 10")
	refuse.Below("rank", c.job.rank, 1)
	refuse.If(!op.Traits().Inverts, "ridge", fmt.Sprintf("is for kinds with an inverse, and %s has none: leave it out", c.kind))
	refuse.When(!(c.ridge >= 0 && c.ridge <= math.MaxFloat64), "--ridge must be 0 or more, such as 1e-3")
	refuse.Below("landmarks", c.how.Landmarks, 1)
	refuse.Missing(explicit, "matrix", ": the file with B, such as --matrix B.npy")
	refuse.If(!explicit, "matrix", "is for --kind explicit")
	refuse.Below("clusters", c.clusters, 2)
	refuse.When(c.clusters > c.job.rank && c.job.given("rank"), fmt.Sprintf("--clusters %d takes as many functions: raise --rank to that", c.clusters))
}

func (c *operatorTask) inputs() []string { return c.matrixFiles }

func (c *operatorTask) parse() (err error) {
	c.job.sides.apart = c.job.given("with") && !c.oneSpace()
	c.solver = c.how
	c.solver.Operator, c.solver.Rank, c.solver.Seed, c.solver.Memory = c.operator(), c.job.rank, c.job.app.seed, int64(c.job.app.memory)
	if c.job.kernel, err = kernelgen.Parse(c.job.kernelText); err != nil || c.kernelYText == "" {
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
	with := c.job.data
	if len(c.withColumns) > 0 {
		with.columns = trimmed(c.withColumns)
	}
	if err := c.job.sides.open(ctx, c.job.app, c.keepTrajectories(c.job.data), args, &with, c.job.rightFiles); err != nil {
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
	c.pairs, err = c.pair(c.job.sides.left, c.job.sides.right)
	return err
}

// openMatrix opens B, whose files have nothing to do with the columns of X.
func (c *operatorTask) openMatrix(ctx context.Context) (*input, error) {
	d := c.job.data
	d.columns, d.format = nil, ""
	return d.open(ctx, c.job.app, c.matrixFiles)
}

// pair makes the pairs of rows; y is of --with.
func (c *operatorTask) pair(x stream.Source, y stream.Source) (d *rkhs.Data, err error) {
	switch {
	case c.job.given("with") && c.kind == explicitKind:
		d, err = rkhs.Unpaired(x, y)
	case c.job.given("with"):
		d, err = rkhs.Pairs(x, y)
	case c.job.given("lag"):
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
	if c.job.sides.right != nil {
		return []string{"data", "with"}
	}
	return []string{"data"}
}

func (c *operatorTask) input() string {
	if c.job.sides.apart {
		return pairsInput
	}
	return ""
}

func (c *operatorTask) shape() model.Shape { return c.pairs.Shape() }

func (c *operatorTask) title() string {
	rows, shape := report.Count(c.pairs.Count())+" pairs of rows", c.shape()
	switch {
	case c.pairs.Single():
		rows = report.Count(c.pairs.Count()) + " rows"
	case shape.Rows != shape.Cols:
		rows = fmt.Sprintf("%s rows y and %s rows x", report.Count(shape.Cols), report.Count(shape.Rows))
	}
	return fmt.Sprintf("operator model of %s, %s, %v", c.kind, rows, c.how.Task)
}

// plan works out what the fit will cost, with the sets and pictures.
func (c *operatorTask) plan(e stream.Engine) (*model.Plan, error) {
	p, err := c.solver.Plan(e, c.shape(), c.job.kernel)
	if err != nil {
		return nil, err
	}
	if c.matrix != nil {
		p.SetNotShardable("the matrix of kind explicit goes with all pairs, which are in memory")
	}
	if rows := c.job.sides.left.Info().Rows; c.clusters > 0 {
		p.SourcePasses++
		p.Add("functions at all rows, for sets", rows*int64(setColumns(c)), "`clusters`")
		p.Add("sets", 3*rows, "")
	}
	if c.job.draws.wanted() {
		p.Add("functions at rows of pictures", plotRows*2*int64(c.job.rank), "")
	}
	return p, nil
}

// prepare deals with nulls and scaling, and pairs the rows.
func (c *operatorTask) prepare(ctx context.Context) error {
	if err := c.job.prepare(ctx); err != nil {
		return err
	}
	var err error
	c.pairs, err = c.pair(c.job.sides.prepared.left, c.job.sides.prepared.right)
	return err
}

func (c *operatorTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver.Fit(ctx, e, c.pairs, c.job.kernel)
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
	d.Input = c.input()
	if c.job.sides.apart {
		left, right := c.preparations()
		d.Columns, d.RightColumns = knownNames(c.job.sides.right, left), knownNames(c.job.sides.left, right)
		d.columnPositions, d.RightPositions = c.job.sides.right.positions(left), c.job.sides.left.positions(right)
		d.Categories, d.RightCategories = model.CategoriesOf(left), model.CategoriesOf(right)
	}
	return d
}

func (c *operatorTask) preparations() (left, right prepare.Preparation) {
	if c.job.sides.apart {
		return c.job.sides.prepared.right.Preparation, c.job.sides.prepared.left.Preparation
	}
	return c.job.preparations()
}
