package operator

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// trajectories has the ways to use the files of X with --lag.
var trajectories = flags.Words("each", "all")

// task is a fit of operator.
type task struct {
	job             *fit.Job
	settings        rkhs.Solver // without its operator, kernel of y, rank, seed and memory
	kind            flags.Word
	ridge           float64
	lag             int64
	trajectoryFiles flags.Word // of trajectories

	trajectoryBy string
	withColumns  []string
	kernelYText  string
	matrixFiles  []string
	clusters     int

	solver  rkhs.Solver
	matrix  *rows.Input // B, for kind explicit
	lengths []int64
	pairs   *rkhs.Data
	fitting *rkhs.Fit
	labels  []int // of the rows of X
}

// explicitKind is the kind of operators with a matrix in a file.
const explicitKind = "explicit"

// operator returns the operator named by the flags, without its matrix.
func (c *task) operator() rkhs.Operator {
	if c.kind == explicitKind {
		return rkhs.Explicit{Single: !c.paired()}
	}
	op, err := rkhs.ParseOperator(string(c.kind), max(0, c.ridge))
	if err != nil {
		panic("nystream: " + err.Error()) // cannot fail: the words are those of the flag
	}
	return op
}

// paired reports whether there are rows y.
func (c *task) paired() bool { return c.job.Given("with") || c.job.Given("lag") }

// oneSpace reports whether x and y are rows of one space.
func (c *task) oneSpace() bool {
	s := c.settings
	s.Operator = c.operator()
	return c.job.Given("lag") || s.OneSpace()
}

func (c *task) refuses(refuse *flags.Refusals, args []string) {
	with, lag, explicit := c.job.Given("with"), c.job.Given("lag"), c.kind == explicitKind
	op := c.operator()
	refuse.When(len(args) == 0, rows.NoData)
	refuse.If(true, "label", "carries nothing along here: use --keep")
	refuse.If(!fit.Writes(c.job, model.Class), "keep", "goes with --clusters-output")
	refuse.Missing(true, "kind", ", such as --kind cca; nystream help fit operator lists the kinds")
	refuse.When(with && lag, "--with and --lag both say what goes with the rows of X: leave one of them out")
	refuse.If(op.Traits().Single && !explicit, "with lag", "is for operators between x and y, and the covariance is of X alone: leave it out")
	refuse.When(!op.Traits().Single && !with && !lag, fmt.Sprintf("--kind %s is between x and y: name the rows y with --with, or --lag for those of a time series", c.kind))
	refuse.When(lag && c.lag < 1, "--lag must be at least 1")
	refuse.If(c.oneSpace() || !with, "kernel-y", "is for operators between two spaces: leave it out")
	refuse.When(slices.Contains(args, "-") && slices.Contains(c.job.RightFiles, "-"), "the standard input can serve only one side: name files for X or for --with")
	refuse.When(slices.Contains(c.matrixFiles, "-"), "--matrix is read from a file: write it to one first, with nystream convert")
	refuse.When(c.job.Rows.Nulls == prepare.NullsDrop && (with || lag || explicit), "--nulls drop would pair rows that do not belong together: use zero or mean, or leave such pairs out of the files")
	refuse.Missing(true, "kernel", ", such as --kernel 'rbf(sigma=0.25)'")
	refuse.Missing(true, "rank", ": how many values are wanted, such as --rank 10")
	refuse.Below("rank", c.job.Rank, 1)
	refuse.If(!op.Traits().Inverts, "ridge", fmt.Sprintf("is for kinds with an inverse, and %s has none: leave it out", c.kind))
	refuse.When(!(c.ridge >= 0 && c.ridge <= math.MaxFloat64), "--ridge must be 0 or more, such as 1e-3")
	refuse.Below("landmarks", c.settings.Landmarks, 1)
	refuse.Missing(explicit, "matrix", ": the file with B, such as --matrix B.npy")
	refuse.If(!explicit, "matrix", "is for --kind explicit")
	refuse.Below("clusters", c.clusters, 2)
	refuse.When(c.clusters > c.job.Rank && c.job.Given("rank"), fmt.Sprintf("--clusters %d takes as many functions: raise --rank to that", c.clusters))
}

func (c *task) inputs() []string { return c.matrixFiles }

func (c *task) parse() (err error) {
	c.job.Sides.Separate = c.job.Given("with") && !c.oneSpace()
	c.solver = c.settings
	c.solver.Operator, c.solver.Rank, c.solver.Seed, c.solver.Memory = c.operator(), c.job.Rank, c.job.App.Seed, int64(c.job.App.Memory)
	if c.job.Kernel, err = kernelgen.Parse(c.job.KernelText); err != nil || c.kernelYText == "" {
		return err
	}
	y, err := kernelgen.Parse(c.kernelYText)
	if err != nil {
		return fmt.Errorf("--kernel-y: %w", err)
	}
	c.solver.KernelY = &y
	return nil
}

// open opens the rows, and the matrix of an explicit operator.
func (c *task) open(ctx context.Context, args []string) (err error) {
	with := c.job.Data
	if len(c.withColumns) > 0 {
		with.Columns = rows.Trimmed(c.withColumns)
	}
	if err := c.job.Sides.Open(ctx, c.job.App, c.keepTrajectories(c.job.Data), args, &with, c.job.RightFiles); err != nil {
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
	c.pairs, err = c.pair(c.job.Sides.Left, c.job.Sides.Right)
	return err
}

// openMatrix opens B. The flags about columns of X do not apply to its files.
func (c *task) openMatrix(ctx context.Context) (*rows.Input, error) {
	d := c.job.Data
	d.Columns, d.Format = nil, ""
	return d.Open(ctx, c.job.App, c.matrixFiles)
}

// pair makes the pairs of rows; y comes from --with.
func (c *task) pair(x stream.Source, y stream.Source) (d *rkhs.Data, err error) {
	switch {
	case c.job.Given("with") && c.kind == explicitKind:
		d, err = rkhs.Unpaired(x, y)
	case c.job.Given("with"):
		d, err = rkhs.Pairs(x, y)
	case c.job.Given("lag"):
		d, err = rkhs.Lagged(x, c.lag, c.lengths...)
	default:
		d, err = rkhs.Single(x)
	}
	return d, app.FromData(err)
}

func (c *task) openNotes() []string {
	notes := c.job.OpenNotes()
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

func (c *task) names() []string {
	if c.job.Sides.Right != nil {
		return []string{"data", "with"}
	}
	return []string{"data"}
}

func (c *task) input() string {
	if c.job.Sides.Separate {
		return saved.PairsInput
	}
	return ""
}

func (c *task) size() model.Size { return c.pairs.Size() }

func (c *task) title() string {
	rows, shape := report.Count(c.pairs.Count())+" pairs of rows", c.size()
	switch {
	case c.pairs.Single():
		rows = report.Count(c.pairs.Count()) + " rows"
	case shape.Rows != shape.Cols:
		rows = fmt.Sprintf("%s rows y and %s rows x", report.Count(shape.Cols), report.Count(shape.Rows))
	}
	return fmt.Sprintf("operator model of %s, %s, %v", c.kind, rows, c.settings.Task)
}

// plan returns the cost of the fit, including sets and charts.
func (c *task) plan(e stream.Engine) (*model.Plan, error) {
	p, err := c.solver.Plan(e, c.size(), c.job.Kernel)
	if err != nil {
		return nil, err
	}
	if c.matrix != nil {
		p.SetNotShardable("the matrix of kind explicit goes with all pairs, which are in memory")
	}
	if rows := c.job.Sides.Left.Info().Rows; c.clusters > 0 {
		p.SourcePasses++
		p.Add("functions at all rows, for sets", rows*int64(setColumns(c)), "`clusters`")
		p.Add("sets", 3*rows, "")
	}
	if c.job.Draws.Wanted() {
		p.Add("functions at rows of pictures", fit.PlotRows*2*int64(c.job.Rank), "")
	}
	return p, nil
}

// prepare handles nulls and scaling, and pairs the rows.
func (c *task) prepare(ctx context.Context) error {
	if err := c.job.Prepare(ctx); err != nil {
		return err
	}
	var err error
	c.pairs, err = c.pair(c.job.Sides.Prepared.Left, c.job.Sides.Prepared.Right)
	return err
}

func (c *task) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver.Fit(ctx, e, c.pairs, c.job.Kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting = f
	return f.Model, &f.Report, nil
}

// rowsData describes the rows of the sides. If these differ, the left functions are those of y, the range of the
// operator.
func (c *task) rowsData() saved.Data {
	d := c.job.RowsData()
	d.Input = c.input()
	if c.job.Sides.Separate {
		left, right := c.preparations()
		d.Columns, d.RightColumns = rows.KnownNames(c.job.Sides.Right, left), rows.KnownNames(c.job.Sides.Left, right)
		d.ColumnPositions, d.RightPositions = c.job.Sides.Right.Positions(left), c.job.Sides.Left.Positions(right)
		d.Dates, d.RightDates = saved.DatesOf(c.job.Sides.Right), saved.DatesOf(c.job.Sides.Left)
		d.Categories, d.RightCategories = input.CategoriesOf(left), input.CategoriesOf(right)
	}
	return d
}

func (c *task) preparations() (left, right prepare.Preparation) {
	if c.job.Sides.Separate {
		return c.job.Sides.Prepared.Right.Preparation, c.job.Sides.Prepared.Left.Preparation
	}
	return c.job.Preparations()
}
