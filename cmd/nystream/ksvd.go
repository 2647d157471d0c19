package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ksvdFamily are the singular vectors of asymmetric kernel matrices.
var ksvdFamily = &family{
	savedFamily: savedFamily{
		name:    ksvd.Name,
		methods: []string{ksvd.Name},
		load:    loadKSVD,
	},
	fitters: []fitter{{ksvd.Name, "DATA... [--right KEYS...] | --graph EDGES", newKSVDTask}},
}

// ksvdTask is a fit of ksvd.
type ksvdTask struct {
	job *job

	decomposer   flags.Word
	nystromFlags []string // that only --method nystrom has a use for
	compat       ksvd.Compatibility
	nystrom      ksvd.Nystrom // its settings, some of which are those of all
	landmarks    []int        // of rows, and of columns if there are two
	center       bool

	solver  ksvd.Method
	matched ksvd.Compatibility // of the rows and columns of a matrix
	rowsOf  *ksvd.Data         // of a graph when it is opened, else when rows are prepared
	fitting *ksvd.Fit
}

func newKSVDTask(j *job) *fitTask {
	c := &ksvdTask{job: j}
	nystrom := func(f flags.Flag) flags.Flag {
		c.nystromFlags = append(c.nystromFlags, f.Name)
		return f
	}
	j.addKernel("kernel between two rows, which need not be symmetric", "'sne(gamma=2)', 'softmax(scale=1/sqrt(d))' or 'kl(a=1)'")
	j.set.Flag("kernel").For = 0
	j.addRank("columns of U and of V", "")
	j.addRight("rows that are the right side")
	j.set.Add(
		flags.Flag{Name: "method", Arg: "word", Usage: "method of decomposition", Value: flags.Choice(&c.decomposer, flags.Words("auto", "exact", "nystrom", "ssrsvd"))},
		nystrom(flags.Flag{Name: "landmarks", Arg: "number", Usage: "sampled rows and columns, or N,M", Doc: "20 times the rank if not given", Value: flags.Ints(&c.landmarks)}),
		nystrom(flags.Flag{Name: "tol", Arg: "error", Usage: "error of the singular directions to reach", Doc: "landmarks double until it is", Value: flags.Float(&c.nystrom.Tolerance, 0)}),
		flags.Flag{Name: "center", Usage: "subtract the means of rows and columns", Value: flags.Bool(&c.center, false)},
		nystrom(flags.Flag{Name: "sums", Arg: "word", Usage: "row sums and means", Doc: "over all entries or landmarks",
			Value: flags.Choice(&c.nystrom.Sums, []ksvd.Sums{ksvd.SumsAuto, ksvd.SumsExact, ksvd.SumsSampled})}),
		nystrom(flags.Flag{Name: "scaling", Arg: "word", Usage: "length of singular vectors", Doc: "all but derived take one more pass",
			Value: flags.Choice(&c.nystrom.Scaling, []ksvd.Scaling{ksvd.ScaleDerived, ksvd.ScaleUnit, ksvd.ScaleOrthonormal})}),
		flags.Flag{Name: "compat", Arg: "word", Usage: "map between the rows and columns of one matrix", For: flags.Rows,
			Value: flags.Choice(&c.compat, []ksvd.Compatibility{ksvd.CompatAuto, ksvd.CompatIdentity, ksvd.CompatPseudoInverse, ksvd.CompatPCA, ksvd.CompatRandom})},
	)
	j.addFactors("left-factors", "U", model.Left, "write U, a row for each of the left side")
	j.addFactors("right-factors", "V", model.Right, "write V, a row for each of the right side")
	c.job.edges.add(j.set)
	return &fitTask{refuses: c.refuses, parse: c.parse, inputs: c.inputs, open: c.open, title: c.title, shape: c.shape, plan: c.plan,
		prepare: c.prepare, fit: c.fit, rowsData: c.rowsData, write: c.write, charts: c.charts, fitted: c.fitted}
}

func (c *ksvdTask) refuses(refuse *flags.Refusals, args []string) {
	graph, two, method := c.job.given("graph"), c.job.given("right"), c.decomposer
	refuse.When(len(args) == 0 && !graph, noData+", or a graph with --graph edges.csv")
	refuse.When(len(args) > 0 && graph, "--graph names the data: leave out DATA, or leave out --graph")
	refuse.When(graph && len(c.job.data.columns) != 0 && len(c.job.data.columns) != 2, edgeColumns)
	refuse.If(two, "compat", "is for the rows and columns of one matrix: leave it out with --right")
	refuse.When(slices.Contains(args, "-") && slices.Contains(c.job.rightFiles, "-"), oneStandardInput)
	refuse.Missing(true, "kernel", ", such as --kernel 'sne(gamma=2)'")
	refuse.Missing(true, "rank", ": how many columns U and V shall have, such as --rank 20")
	refuse.Below("rank", c.job.rank, 1)
	refuse.If(method == "exact" || method == "ssrsvd", strings.Join(c.nystromFlags, " "), "is for --method nystrom")
	refuse.When(method == "ssrsvd" && c.center, "--center is not for --method ssrsvd, whose pass has no sums over the other side: use nystrom or exact")
	refuse.When(method == "ssrsvd" && graph, "--method ssrsvd is for dense rows: use nystrom or exact for a graph")
	refuse.Outside("tol", c.nystrom.Tolerance, 2, "0.1")
	refuse.When(!c.goodLandmarks(), "--landmarks takes one number for rows and columns, or two, each at least the rank: --landmarks 400 or --landmarks 400,200")
}

func (c *ksvdTask) goodLandmarks() bool {
	if !c.job.given("landmarks") {
		return true
	}
	return len(c.landmarks) > 0 && len(c.landmarks) <= 2 && slices.Min(c.landmarks) >= c.job.rank && slices.Max(c.landmarks) <= math.MaxInt32
}

func (c *ksvdTask) inputs() []string { return c.job.edges.inputs() }

func (c *ksvdTask) parse() (err error) {
	c.job.kernel, err = kernelgen.Parse(c.job.kernelText)
	c.solver = c.newSolver()
	return err
}

// newSolver returns the method that --method names.
func (c *ksvdTask) newSolver() ksvd.Method {
	nystrom := c.nystrom
	nystrom.Rank, nystrom.Center, nystrom.Seed = c.job.rank, c.center, c.job.app.seed
	if len(c.landmarks) > 0 {
		nystrom.Rows, nystrom.Cols = c.landmarks[0], c.landmarks[len(c.landmarks)-1]
	}
	switch c.decomposer {
	case "exact":
		return ksvd.Exact{Rank: c.job.rank, Center: c.center, Seed: c.job.app.seed}
	case "ssrsvd":
		return ksvd.SSRSVD{Rank: c.job.rank, Seed: c.job.app.seed}
	case "nystrom":
		return nystrom
	}
	auto := ksvd.Auto{Rank: c.job.rank, Center: c.center, Seed: c.job.app.seed, Nystrom: nystrom}
	if word := c.job.set.First(c.nystromFlags...); word != "" {
		auto.Asked = "`" + word + "`"
	}
	return auto
}

func (c *ksvdTask) input() string {
	switch {
	case c.job.edges.path != "":
		return graphInput
	case len(c.job.rightFiles) > 0:
		return sourcesInput
	}
	return matrixInput
}

// open opens the sources, or reads the graph, and chooses what depends on their size.
func (c *ksvdTask) open(ctx context.Context, args []string) (err error) {
	if c.input() == graphInput {
		if c.job.graph, err = readGraph(ctx, c.job.app, c.job.edges.path, &c.job.edges, c.job.edges.recipe(), &c.job.data); err != nil {
			return err
		}
		c.rowsOf, err = ksvd.Graph(c.job.edges.path, c.job.graph.Adjacency)
		return fromData(err)
	}
	if err := c.job.open(ctx, args); err != nil {
		return err
	}
	return c.match()
}

// match chooses how the rows and columns of one matrix are brought to one length.
func (c *ksvdTask) match() error {
	if c.input() != matrixInput {
		return nil
	}
	s := c.job.shape()
	var err error
	c.matched, err = c.compat.Resolve(s.Rows, int64(s.Columns))
	if err != nil {
		return flags.Usagef("%s: %w", c.job.sides.left.Info().Name, err)
	}
	return nil
}

func (c *ksvdTask) shape() model.Shape {
	if c.rowsOf != nil {
		return c.rowsOf.Shape()
	}
	s := c.job.shape()
	if s.OneSource() {
		s, _ = ksvd.MatrixPlan(c.job.app.engine(), s.Rows, int64(s.Columns), c.matched)
	}
	return s
}

func (c *ksvdTask) title() string {
	s := c.shape()
	return fmt.Sprintf("ksvd model of the %s × %s matrix %s between %s", report.Count(s.Rows), report.Count(s.Cols), c.job.kernel,
		map[string]string{graphInput: "edges out of and into nodes", sourcesInput: "rows of two sources", matrixInput: "rows and columns"}[c.input()])
}

// leaveMemory tells a fit to a tolerance what its doublings may take: --memory without what the fit does not plan.
func (c *ksvdTask) leaveMemory() error {
	if c.nystrom.Tolerance == 0 || c.job.app.memory == 0 {
		return nil
	}
	whole, err := c.job.wholePlan()
	if err != nil {
		return err
	}
	own, err := c.solver.Plan(c.job.app.engine(), c.shape(), c.job.kernel)
	if err != nil {
		return err
	}
	c.nystrom.Memory = max(1, int64(c.job.app.memory)-whole.Memory.Total()+own.Memory.Total())
	c.solver = c.newSolver()
	return nil
}

// plan works out what the fit will cost, with writing factors.
func (c *ksvdTask) plan(e stream.Engine) (*model.Plan, error) {
	s := c.shape()
	p, err := c.solver.Plan(e, s, c.job.kernel)
	if err != nil {
		return nil, err
	}
	if writesFactors(c.job) && c.decomposer != "exact" && p.Choice.Name != "exact" { // which has them in memory
		p.Map("blocks of factors", s.Columns, c.job.rank)
		p.SourcePasses++
	}
	switch c.input() {
	case matrixInput:
		p.SourcePasses = 1 // which loads it
		_, loading := ksvd.MatrixPlan(e, s.Rows, s.Cols, c.matched)
		p.Include(loading)
		p.SetNotShardable("the matrix is loaded whole; name two sources with `right`")
	case graphInput:
		ids := 4 * s.Rows
		if c.job.edges.nodes != "" {
			ids *= 2 // as text, while the graph is read
		}
		p.Add("ids of the nodes", ids, "")
	}
	return p, nil
}

// prepare deals with nulls and scaling, and makes the data.
func (c *ksvdTask) prepare(ctx context.Context) (err error) {
	if c.input() == graphInput {
		return nil
	}
	if err := c.job.prepare(ctx); err != nil {
		return err
	}
	if err := c.match(); err != nil {
		return err
	}
	if c.input() == sourcesInput {
		c.rowsOf, err = ksvd.Between(c.job.sides.prepared.left, c.job.sides.prepared.right)
		return err
	}
	c.job.scans = allPasses(c.job) // what comes now loads the matrix
	c.rowsOf, err = ksvd.RowsAndColumns(ctx, c.job.sides.prepared.left, c.matched, c.job.app.seed)
	return err
}

func (c *ksvdTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	if err := c.leaveMemory(); err != nil {
		return nil, nil, err
	}
	f, err := c.solver.Fit(ctx, e, c.rowsOf, c.job.kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.job.kernel = f, f.Kernel
	return f.Model, &f.Report, nil
}

func (c *ksvdTask) rowsData() rowsData {
	if c.job.graph == nil {
		d := c.job.rowsData()
		d.Input = c.input()
		return d
	}
	return rowsData{Input: graphInput, Graph: &graphData{graphRecipe: c.job.edges.recipe(), Names: c.job.graph.Names}}
}

// write writes the factors of the fitted rows, uncommitted, with the ids of nodes.
func (c *ksvdTask) write(ctx context.Context, _ model.Model) (writers []pathWriter, err error) {
	for _, f := range c.job.factors {
		if f.path == "" {
			continue
		}
		size := c.fitting.Rows
		if f.side == model.Right {
			size = c.fitting.Cols
		}
		keys, column, err := c.keys(ctx, f)
		if err != nil {
			return writers, err
		}
		w, err := newRowsFile(c.job.app, f.path, c.fitting, model.Request{Side: f.side}, size, keys)
		if err != nil {
			return writers, err
		}
		writers = append(writers, pathWriter{w, f.path})
		err = c.eachFitted(ctx, f.side, func(start int64, u blas64.General) error {
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
		c.job.factorPasses = 1
	}
	return writers, nil
}

// eachFitted gives the singular vectors of the fitted rows of a side to emit, in row order.
func (c *ksvdTask) eachFitted(ctx context.Context, side model.Side, emit func(start int64, u blas64.General) error) error {
	worker, rows, err := c.fitting.Fitted(side)
	if err != nil {
		return err
	}
	return stream.Map(ctx, c.job.app.engine(), "transform", rows, c.fitting.Rank(), false, worker, func(b *stream.Block, u blas64.General) error { return emit(b.Start, u) })
}

// keys returns what the rows of a file of factors carry along: ids of nodes, kept columns,
// or the names of the columns of a matrix.
func (c *ksvdTask) keys(ctx context.Context, f *factorFile) ([]stream.Field, func(start int64, n int) []stream.Column, error) {
	if c.job.graph != nil {
		k := nodeKeys{c.job.graph}
		return k.fields(numbersOnly(c.job.app, f.path)), k.column, nil
	}
	rows := c.job.sides.prepared.left
	switch {
	case f.side == model.Right && c.input() == matrixInput:
		fields, names := columnNames(c.job.app, f.path, rows.Info().Columns)
		return fields, func(start int64, n int) []stream.Column {
			return []stream.Column{{Kind: stream.String, Strings: names[start : start+int64(n)]}}
		}, nil
	case f.side == model.Right && c.job.sides.prepared.right != nil:
		rows = c.job.sides.prepared.right
	}
	fields := carried(c.job, f.path, rows)
	if len(fields) == 0 {
		return nil, nil, nil
	}
	columns, err := allKept(ctx, c.job.app.engine(), rows)
	return fields, func(start int64, n int) []stream.Column {
		part := make([]stream.Column, len(columns))
		for k := range part {
			part[k].Kind = columns[k].Kind
			part[k].Append(&columns[k], int(start), int(start)+n)
		}
		return part
	}, err
}

// loadKSVD rebuilds a model from its file, and compares it with the rows that it is
// said to take.
func loadKSVD(a *model.Archive, data *rowsData) (model.Model, error) {
	m, err := ksvd.Load(a)
	if err != nil {
		return nil, err
	}
	switch sparse := m.Left.Landmarks.Sparse != nil; {
	case !slices.Contains([]string{matrixInput, sourcesInput, graphInput}, data.Input):
		return nil, fmt.Errorf("meta.json: data.input is %q", data.Input)
	case (data.Input == graphInput) != sparse || sparse != (data.Graph != nil):
		return nil, fmt.Errorf("meta.json: data.input %q does not go with the arrays", data.Input)
	}
	return m, nil
}
