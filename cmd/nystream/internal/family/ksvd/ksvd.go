package ksvd

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Family is the family of singular vectors of asymmetric kernel matrices.
var Family = &fit.Family{
	Family: saved.Family{
		Name:    ksvd.Name,
		Methods: []string{ksvd.Name},
		Load:    load,
	},
	Verbs: []fit.Verb{{Name: ksvd.Name, Args: "(DATA... [--right KEYS...] | --graph EDGES) --kernel K --rank N", New: newTask}},
}

// task is a fit of ksvd.
type task struct {
	job *fit.Job

	decomposer   flags.Word
	nystromFlags []string // used only by --method nystrom
	compat       ksvd.Compatibility
	nystrom      ksvd.Nystrom // some settings are common to all methods
	landmarks    []int        // of rows, and of columns if there are two numbers
	center       bool

	solver        ksvd.Method
	compatibility ksvd.Compatibility // of the rows and columns of a matrix
	data          *ksvd.Data         // set when a graph is opened, or when rows are prepared
	fitting       *ksvd.Fit
}

func newTask(j *fit.Job) *fit.Task {
	c := &task{job: j}
	nystrom := func(f flags.Flag) flags.Flag {
		c.nystromFlags = append(c.nystromFlags, f.Name)
		return f
	}
	j.AddKernel("kernel between two rows, which need not be symmetric", "'sne(gamma=2)', 'softmax(scale=1/sqrt(d))' or 'kl(a=1)'")
	j.Set.Flag("kernel").For = 0
	j.AddRank("columns of U and of V", "")
	j.AddRight("rows that are the right side")
	j.Set.Add(
		flags.Flag{Name: "method", Arg: "word", Usage: "method of decomposition", Value: flags.Choice(&c.decomposer, flags.Words("auto", "exact", "nystrom", "ssrsvd"))},
		nystrom(flags.Flag{Name: "landmarks", Field: "Rows/Cols", Arg: "number", Usage: "number of sampled rows and columns, or N,M", Doc: "20 times the rank if not given", Value: flags.Ints(&c.landmarks)}),
		nystrom(flags.Flag{Name: "tol", Field: "Tolerance", Arg: "error", Usage: "error of the singular directions to reach", Doc: "landmarks double until it is", Value: flags.Float(&c.nystrom.Tolerance, 0)}),
		flags.Flag{Name: "center", Usage: "subtract the means of rows and columns", Value: flags.Bool(&c.center, false)},
		nystrom(flags.Flag{Name: "sums", Arg: "word", Usage: "row sums and means", Doc: "over all entries or landmarks",
			Value: flags.Choice(&c.nystrom.Sums, []ksvd.Sums{ksvd.SumsAuto, ksvd.SumsExact, ksvd.SumsSampled})}),
		nystrom(flags.Flag{Name: "scaling", Arg: "word", Usage: "length of singular vectors", Doc: "all but derived take one more pass",
			Value: flags.Choice(&c.nystrom.Scaling, []ksvd.Scaling{ksvd.ScaleDerived, ksvd.ScaleUnit, ksvd.ScaleOrthonormal})}),
		flags.Flag{Name: "compat", Field: "Compatibility", Arg: "word", For: flags.Rows,
			Usage: "map between the rows and columns of one matrix",
			Value: flags.Choice(&c.compat, []ksvd.Compatibility{ksvd.CompatAuto, ksvd.CompatIdentity, ksvd.CompatPseudoInverse, ksvd.CompatPCA, ksvd.CompatRandom})},
	)
	j.AddFactors("left-factors", "U", model.Left, "write U, a row for each of the left side")
	j.AddFactors("right-factors", "V", model.Right, "write V, a row for each of the right side")
	c.job.Edges.Add(j.Set)
	return &fit.Task{Refuses: c.refuses, Parse: c.parse, Inputs: c.inputs, Open: c.open, Title: c.title, Shape: c.size, Plan: c.plan,
		Prepare: c.prepare, Fit: c.fit, RowsData: c.rowsData, Write: c.write, Charts: c.charts, Fitted: c.fitted}
}

func (c *task) refuses(refuse *flags.Refusals, args []string) {
	graph, two, method := c.job.Given("graph"), c.job.Given("right"), c.decomposer
	refuse.When(len(args) == 0 && !graph, rows.NoData+", or a graph with --graph edges.csv")
	refuse.When(len(args) > 0 && graph, "--graph names the data: leave out DATA, or leave out --graph")
	refuse.When(graph && len(c.job.Data.Columns) != 0 && len(c.job.Data.Columns) != 2, rows.EdgeColumns)
	refuse.If(two, "compat", "is for the rows and columns of one matrix: leave it out with --right")
	refuse.When(slices.Contains(args, "-") && slices.Contains(c.job.RightFiles, "-"), rows.OneStandardInput)
	refuse.Missing(true, "kernel", ", such as --kernel 'sne(gamma=2)'")
	refuse.Missing(true, "rank", ": how many columns U and V shall have, such as --rank 20")
	refuse.Below("rank", c.job.Rank, 1)
	refuse.If(method == "exact" || method == "ssrsvd", strings.Join(c.nystromFlags, " "), "is for --method nystrom")
	refuse.When(method == "ssrsvd" && c.center, "--center is not for --method ssrsvd, whose pass has no sums over the other side: use nystrom or exact")
	refuse.When(method == "ssrsvd" && graph, "--method ssrsvd is for dense rows: use nystrom or exact for a graph")
	refuse.Outside("tol", c.nystrom.Tolerance, 2, "0.1")
	refuse.When(!c.validLandmarks(), "--landmarks takes one number for rows and columns, or two, each at least the rank: --landmarks 400 or --landmarks 400,200")
}

func (c *task) validLandmarks() bool {
	if !c.job.Given("landmarks") {
		return true
	}
	return len(c.landmarks) > 0 && len(c.landmarks) <= 2 && slices.Min(c.landmarks) >= c.job.Rank && slices.Max(c.landmarks) <= math.MaxInt32
}

func (c *task) inputs() []string { return c.job.Edges.Inputs() }

func (c *task) parse() (err error) {
	c.job.Kernel, err = kernelgen.Parse(c.job.KernelText)
	c.solver = c.newSolver()
	return err
}

// newSolver returns the method named by --method.
func (c *task) newSolver() ksvd.Method {
	nystrom := c.nystrom
	nystrom.Rank, nystrom.Center, nystrom.Seed = c.job.Rank, c.center, c.job.App.Seed
	if len(c.landmarks) > 0 {
		nystrom.Rows, nystrom.Cols = c.landmarks[0], c.landmarks[len(c.landmarks)-1]
	}
	switch c.decomposer {
	case "exact":
		return ksvd.Exact{Rank: c.job.Rank, Center: c.center, Seed: c.job.App.Seed}
	case "ssrsvd":
		return ksvd.SSRSVD{Rank: c.job.Rank, Seed: c.job.App.Seed}
	case "nystrom":
		return nystrom
	}
	auto := ksvd.Auto{Rank: c.job.Rank, Center: c.center, Seed: c.job.App.Seed, Nystrom: nystrom}
	if word := c.job.Set.First(c.nystromFlags...); word != "" {
		auto.Asked = "`" + word + "`"
	}
	return auto
}

func (c *task) input() string {
	switch {
	case c.job.Edges.Path != "":
		return saved.GraphInput
	case len(c.job.RightFiles) > 0:
		return saved.SourcesInput
	}
	return saved.MatrixInput
}

// open opens the sources, or reads the graph, and makes choices that depend on their size.
func (c *task) open(ctx context.Context, args []string) (err error) {
	if c.input() == saved.GraphInput {
		if c.job.Graph, err = rows.ReadGraph(ctx, c.job.App, c.job.Edges.Path, &c.job.Edges, c.job.Edges.Recipe(), &c.job.Data); err != nil {
			return err
		}
		c.data, err = ksvd.Graph(c.job.Edges.Path, c.job.Graph.Adjacency)
		return app.FromData(err)
	}
	if err := c.job.Open(ctx, args); err != nil {
		return err
	}
	return c.resolveCompatibility()
}

// resolveCompatibility chooses how the rows and columns of a matrix are brought to one length.
func (c *task) resolveCompatibility() error {
	if c.input() != saved.MatrixInput {
		return nil
	}
	s := c.job.Size()
	var err error
	c.compatibility, err = c.compat.Resolve(s.Rows, int64(s.Columns))
	if err != nil {
		return flags.Usagef("%s: %w", c.job.Sides.Left.Info().Name, err)
	}
	return nil
}

func (c *task) size() model.Size {
	if c.data != nil {
		return c.data.Size()
	}
	s := c.job.Size()
	if s.OneSource() {
		s, _ = ksvd.MatrixPlan(c.job.App.Engine(), s.Rows, int64(s.Columns), c.compatibility)
	}
	return s
}

func (c *task) title() string {
	s := c.size()
	return fmt.Sprintf("ksvd model of the %s × %s matrix %s between %s", report.Count(s.Rows), report.Count(s.Cols), report.Rounded(c.job.Kernel.String()),
		map[string]string{saved.GraphInput: "edges out of and into nodes", saved.SourcesInput: "rows of two sources", saved.MatrixInput: "rows and columns"}[c.input()])
}

// leaveMemory sets the memory limit of a fit to a tolerance: --memory without the parts that the fit does not plan.
func (c *task) leaveMemory() error {
	if c.nystrom.Tolerance == 0 || c.job.App.Memory == 0 {
		return nil
	}
	whole, err := c.job.WholePlan()
	if err != nil {
		return err
	}
	own, err := c.solver.Plan(c.job.App.Engine(), c.size(), c.job.Kernel)
	if err != nil {
		return err
	}
	c.nystrom.Memory = max(1, int64(c.job.App.Memory)-whole.Memory.Total()+own.Memory.Total())
	c.solver = c.newSolver()
	return nil
}

// plan returns the cost of the fit, including writing factors.
func (c *task) plan(e stream.Engine) (*model.Plan, error) {
	s := c.size()
	p, err := c.solver.Plan(e, s, c.job.Kernel)
	if err != nil {
		return nil, err
	}
	if fit.WritesFactors(c.job) && c.decomposer != "exact" && p.Choice.Name != "exact" { // which has them in memory
		p.Map("blocks of factors", s.Columns, c.job.Rank)
		p.SourcePasses++
	}
	switch c.input() {
	case saved.MatrixInput:
		p.SourcePasses = 1 // which loads the matrix
		_, loading := ksvd.MatrixPlan(e, s.Rows, s.Cols, c.compatibility)
		p.Include(loading)
		p.SetNotShardable("the matrix is loaded whole; name two sources with `right`")
	case saved.GraphInput:
		ids := 4 * s.Rows
		if c.job.Edges.Nodes != "" {
			ids *= 2 // also as text, while the graph is read
		}
		p.Add("ids of the nodes", ids, "")
	}
	return p, nil
}

// prepare handles nulls and scaling, and makes the data.
func (c *task) prepare(ctx context.Context) (err error) {
	if c.input() == saved.GraphInput {
		return nil
	}
	if err := c.job.Prepare(ctx); err != nil {
		return err
	}
	if err := c.resolveCompatibility(); err != nil {
		return err
	}
	if c.input() == saved.SourcesInput {
		c.data, err = ksvd.Between(c.job.Sides.Prepared.Left, c.job.Sides.Prepared.Right)
		return err
	}
	c.job.Scans = fit.AllPasses(c.job) // the next pass loads the matrix
	c.data, err = ksvd.RowsAndColumns(ctx, c.job.Sides.Prepared.Left, c.compatibility, c.job.App.Seed)
	return err
}

func (c *task) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	if err := c.leaveMemory(); err != nil {
		return nil, nil, err
	}
	f, err := c.solver.Fit(ctx, e, c.data, c.job.Kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.job.Kernel = f, f.Kernel
	return f.Model, &f.Report, nil
}

func (c *task) rowsData() saved.Data {
	if c.job.Graph == nil {
		d := c.job.RowsData()
		d.Input = c.input()
		return d
	}
	return saved.Data{Input: saved.GraphInput, Graph: &saved.GraphData{GraphRecipe: c.job.Edges.Recipe(), Names: c.job.Graph.Names}}
}

// write writes the factors of the fitted rows, uncommitted, with node ids.
func (c *task) write(ctx context.Context, _ model.Model) (writers []rows.PathWriter, err error) {
	for _, f := range c.job.Factors {
		if f.Path == "" {
			continue
		}
		size := c.fitting.Rows
		if f.Side == model.Right {
			size = c.fitting.Cols
		}
		keys, column, err := c.keys(ctx, f)
		if err != nil {
			return writers, err
		}
		w, err := rows.NewRowsFile(c.job.App, f.Path, c.fitting, model.Request{Side: f.Side}, size, keys)
		if err != nil {
			return writers, err
		}
		writers = append(writers, rows.PathWriter{Output: w, Path: f.Path})
		err = c.eachFitted(ctx, f.Side, func(start int64, u blas64.General) error {
			b := &stream.Batch{X: u}
			if len(keys) > 0 {
				b.Kept = column(start, u.Rows)
			}
			return w.Write(b, u.Rows)
		})
		if err != nil {
			return writers, err
		}
	}
	if len(writers) > 0 && c.fitting.U.Rows == 0 {
		c.job.FactorPasses = 1
	}
	return writers, nil
}

// eachFitted passes the singular vectors of the fitted rows of a side to emit, in row order.
func (c *task) eachFitted(ctx context.Context, side model.Side, emit func(start int64, u blas64.General) error) error {
	worker, rows, err := c.fitting.Fitted(side)
	if err != nil {
		return err
	}
	return stream.Map(ctx, c.job.App.Engine(), "transform", rows, c.fitting.Rank(), false, worker, func(b *stream.Block, u blas64.General) error { return emit(b.Start, u) })
}

// keys returns the key columns of a file of factors: node ids, kept columns, or the column names of a matrix.
func (c *task) keys(ctx context.Context, f *fit.FactorFile) ([]stream.Field, func(start int64, n int) []stream.Column, error) {
	if c.job.Graph != nil {
		k := rows.NodeKeys{Graph: c.job.Graph}
		return k.Fields(rows.NumbersOnly(c.job.App, f.Path)), k.Column, nil
	}
	source := c.job.Sides.Prepared.Left
	switch {
	case f.Side == model.Right && c.input() == saved.MatrixInput:
		fields, names := rows.ColumnNames(c.job.App, f.Path, source.Info().Columns)
		return fields, func(start int64, n int) []stream.Column {
			return []stream.Column{{Kind: stream.String, Strings: names[start : start+int64(n)]}}
		}, nil
	case f.Side == model.Right && c.job.Sides.Prepared.Right != nil:
		source = c.job.Sides.Prepared.Right
	}
	fields := fit.KeptFields(c.job, f.Path, source)
	if len(fields) == 0 {
		return nil, nil, nil
	}
	columns, err := rows.AllKept(ctx, c.job.App.Engine(), source)
	return fields, func(start int64, n int) []stream.Column {
		part := make([]stream.Column, len(columns))
		for k := range part {
			part[k].Kind = columns[k].Kind
			part[k].Append(&columns[k], int(start), int(start)+n)
		}
		return part
	}, err
}

// load rebuilds a model from its file, and checks it against the description of its rows.
func load(a *model.Archive, data *saved.Data) (model.Model, error) {
	m, err := ksvd.Load(a)
	if err != nil {
		return nil, err
	}
	switch sparse := m.Left.Landmarks.Sparse != nil; {
	case !slices.Contains([]string{saved.MatrixInput, saved.SourcesInput, saved.GraphInput}, data.Input):
		return nil, fmt.Errorf("meta.json: data.input is %q", data.Input)
	case (data.Input == saved.GraphInput) != sparse || sparse != (data.Graph != nil):
		return nil, fmt.Errorf("meta.json: data.input %q does not go with the arrays", data.Input)
	}
	return m, nil
}
