package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ksvdFamily are the singular vectors of asymmetric kernel matrices.
var ksvdFamily = &family{
	name:    ksvd.Name,
	methods: []string{ksvd.Name},
	fitters: []fitter{{ksvd.Name, "DATA... [--right KEYS...] | --graph EDGES", newKSVDTask}},
	load:    loadKSVD,
}

// ksvdTask is a fit of ksvd.
type ksvdTask struct {
	*job

	decomposer word
	compat     ksvd.Compatibility
	nystrom    ksvd.Nystrom // its settings, some of which are those of all
	landmarks  []int        // of rows, and of columns if there are two
	center     bool

	solver  ksvd.Method
	matched ksvd.Compatibility // of the rows and columns of a matrix
	rowsOf  *ksvd.Data         // of a graph when it is opened, else when rows are prepared
	fitting *ksvd.Fit
}

func newKSVDTask(j *job, cmd *cobra.Command) task {
	c := &ksvdTask{job: j}
	f := cmd.Flags()
	j.addKernel(cmd, "'sne(gamma=2)', 'softmax(scale=1/sqrt(d))' or 'kl(a=1)'")
	j.addRank(cmd, "columns of U and of V")
	j.addRight(cmd, "the right side")
	addChoice(cmd, &c.decomposer, "method", "method of decomposition", words("auto", "exact", "nystrom", "ssrsvd"))
	f.IntSliceVar(&c.landmarks, "landmarks", nil, "`number` of sampled rows and columns, or N,M; 20 times the rank if not given")
	f.Float64Var(&c.nystrom.Tolerance, "tol", 0, "`error` of the singular directions up to which landmarks double")
	f.BoolVar(&c.center, "center", false, "subtract the means of rows and columns")
	addChoice(cmd, &c.nystrom.Sums, "sums", "row sums and means: over all entries or landmarks",
		[]ksvd.Sums{ksvd.SumsAuto, ksvd.SumsExact, ksvd.SumsSampled})
	addChoice(cmd, &c.nystrom.Scaling, "scaling", "length of singular vectors; all but derived take one more pass",
		[]ksvd.Scaling{ksvd.ScaleDerived, ksvd.ScaleUnit, ksvd.ScaleOrthonormal})
	addChoice(cmd, &c.compat, "compat", "map between the rows and columns of one matrix",
		[]ksvd.Compatibility{ksvd.CompatAuto, ksvd.CompatIdentity, ksvd.CompatPseudoInverse, ksvd.CompatPCA, ksvd.CompatRandom})
	j.addFactors(cmd, "left-factors", "U", model.Left, "write U, one row per row of the left side,")
	j.addFactors(cmd, "right-factors", "V", model.Right, "write V, one row per row of the right side,")
	c.edges.add(cmd)
	return c
}

// The flags that only some input or method has a use for.
var (
	nystromFlags = []string{"landmarks", "tol", "sums", "scaling"}
	graphOnly    = []string{"nodes", "weight", "self-loops", "degrees", "undirected", "simple"}
	rowsOnly     = []string{"label", "keep", "input-format", "spool-dir", "nulls", "scale",
		"categories", "compat"}
)

func (c *ksvdTask) refuses(args []string) []contradiction {
	graph, two, method := c.given("graph"), c.given("right"), c.decomposer
	return []contradiction{
		{len(args) == 0 && !graph, noData + ", or a graph with --graph edges.csv"},
		{len(args) > 0 && graph, "--graph names the data: leave out DATA, or leave out --graph"},
		{two && graph, "--right: a graph has both sides; leave it out"},
		c.without(graph, "is for rows of DATA: leave it out with --graph", rowsOnly...),
		c.without(!graph, "goes with --graph", graphOnly...),
		{graph && len(c.data.columns) != 0 && len(c.data.columns) != 2, edgeColumns},
		c.without(two, "is for the rows and columns of one matrix: leave it out with --right", "compat"),
		oneStandardInput(args, c.rightFiles),
		c.needs(true, "kernel", ", such as --kernel 'sne(gamma=2)'"),
		c.needs(true, "rank", ": how many columns U and V shall have, such as --rank 20"),
		c.least("rank", c.rank, 1),
		c.without(method == "exact" || method == "ssrsvd", "is for --method nystrom", nystromFlags...),
		{method == "ssrsvd" && c.center, "--center is not for --method ssrsvd, whose pass has no sums over the other side: use nystrom or exact"},
		{method == "ssrsvd" && graph, "--method ssrsvd is for dense rows: use nystrom or exact for a graph"},
		c.within("tol", c.nystrom.Tolerance, 2, "0.1"),
		{!c.goodLandmarks(), "--landmarks takes one number for rows and columns, or two, each at least the rank: --landmarks 400 or --landmarks 400,200"},
	}
}

func (c *ksvdTask) goodLandmarks() bool {
	if !c.given("landmarks") {
		return true
	}
	return len(c.landmarks) > 0 && len(c.landmarks) <= 2 && slices.Min(c.landmarks) >= c.rank && slices.Max(c.landmarks) <= math.MaxInt32
}

func (c *ksvdTask) inputs() []string { return c.edges.inputs() }

func (c *ksvdTask) parse() (err error) {
	c.kernel, err = kernelgen.Parse(c.kernelText)
	c.solver = c.newSolver()
	return err
}

// newSolver returns the method that --method names.
func (c *ksvdTask) newSolver() ksvd.Method {
	nystrom := c.nystrom
	nystrom.Rank, nystrom.Center, nystrom.Seed = c.rank, c.center, c.seed
	if len(c.landmarks) > 0 {
		nystrom.Rows, nystrom.Cols = c.landmarks[0], c.landmarks[len(c.landmarks)-1]
	}
	switch c.decomposer {
	case "exact":
		return ksvd.Exact{Rank: c.rank, Center: c.center, Seed: c.seed}
	case "ssrsvd":
		return ksvd.SSRSVD{Rank: c.rank, Seed: c.seed}
	case "nystrom":
		return nystrom
	}
	auto := ksvd.Auto{Rank: c.rank, Center: c.center, Seed: c.seed, Nystrom: nystrom}
	if word := c.first(nystromFlags...); word != "" {
		auto.Asked = "`" + word + "`"
	}
	return auto
}

func (c *ksvdTask) input() string {
	switch {
	case c.edges.path != "":
		return graphInput
	case len(c.rightFiles) > 0:
		return sourcesInput
	}
	return matrixInput
}

// open opens the sources, or reads the graph, and chooses what depends on their size.
func (c *ksvdTask) open(ctx context.Context, args []string) (err error) {
	if c.input() == graphInput {
		if c.graph, err = c.readGraph(ctx, c.edges.path, &c.edges, c.edges.recipe(), &c.data); err != nil {
			return err
		}
		c.rowsOf, err = ksvd.Graph(c.edges.path, c.graph.Adjacency)
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
		return usagef("%s: %w", c.left.Info().Name, err)
	}
	return nil
}

func (c *ksvdTask) shape() model.Shape {
	if c.rowsOf != nil {
		return c.rowsOf.Shape()
	}
	s := c.job.shape()
	if s.OneSource() {
		s, _ = ksvd.MatrixPlan(c.engine(), s.Rows, int64(s.Columns), c.matched)
	}
	return s
}

func (c *ksvdTask) title() string {
	s := c.shape()
	return fmt.Sprintf("ksvd model of the %s × %s matrix %s between %s", report.Count(s.Rows), report.Count(s.Cols), c.kernel,
		map[string]string{graphInput: "edges out of and into nodes", sourcesInput: "rows of two sources", matrixInput: "rows and columns"}[c.input()])
}

// leaveMemory tells a fit to a tolerance what its doublings may take: --memory without what the fit does not plan.
func (c *ksvdTask) leaveMemory() error {
	if c.nystrom.Tolerance == 0 || c.memory == 0 {
		return nil
	}
	whole, err := c.wholePlan()
	if err != nil {
		return err
	}
	own, err := c.solver.Plan(c.engine(), c.shape(), c.kernel)
	if err != nil {
		return err
	}
	c.nystrom.Memory = max(1, int64(c.memory)-whole.Memory.Total()+own.Memory.Total())
	c.solver = c.newSolver()
	return nil
}

// plan works out what the fit will cost, with writing factors.
func (c *ksvdTask) plan(e stream.Engine) (*model.Plan, error) {
	s := c.shape()
	p, err := c.solver.Plan(e, s, c.kernel)
	if err != nil {
		return nil, err
	}
	if c.writesFactors() && c.decomposer != "exact" && p.Choice.Name != "exact" { // which has them in memory
		p.Map("blocks of factors", s.Columns, c.rank)
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
		if c.edges.nodes != "" {
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
		c.rowsOf, err = ksvd.Between(c.prepared.left, c.prepared.right)
		return err
	}
	c.scans = c.allPasses() // what comes now loads the matrix
	c.rowsOf, err = ksvd.RowsAndColumns(ctx, c.prepared.left, c.matched, c.seed)
	return err
}

func (c *ksvdTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	if err := c.leaveMemory(); err != nil {
		return nil, nil, err
	}
	f, err := c.solver.Fit(ctx, e, c.rowsOf, c.kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.kernel = f, f.Kernel
	return f.Model, &f.Report, nil
}

func (c *ksvdTask) rowsData() rowsData {
	if c.graph == nil {
		return c.job.rowsData()
	}
	return rowsData{Input: graphInput, Graph: &graphData{graphRecipe: c.edges.recipe(), Names: c.graph.Names}}
}

// write writes the factors of the fitted rows, uncommitted, with the ids of nodes.
func (c *ksvdTask) write(ctx context.Context, _ model.Model) (writers []pathWriter, err error) {
	for _, f := range c.factors {
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
		w, err := c.newRowsFile(f.path, c.fitting, model.Request{Side: f.side}, size, keys)
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
		c.factorPasses = 1
	}
	return writers, nil
}

// eachFitted gives the singular vectors of the fitted rows of a side to emit, in row order.
func (c *ksvdTask) eachFitted(ctx context.Context, side model.Side, emit func(start int64, u blas64.General) error) error {
	worker, rows, err := c.fitting.Fitted(side)
	if err != nil {
		return err
	}
	return stream.Map(ctx, c.engine(), "transform", rows, c.fitting.Rank(), false, worker, func(b *stream.Block, u blas64.General) error { return emit(b.Start, u) })
}

// keys returns what the rows of a file of factors carry along: ids of nodes, kept columns,
// or the names of the columns of a matrix.
func (c *ksvdTask) keys(ctx context.Context, f *factorFile) ([]stream.Field, func(start int64, n int) []stream.Column, error) {
	if c.graph != nil {
		k := nodeKeys{c.graph}
		return k.fields(c.numbersOnly(f.path)), k.column, nil
	}
	rows := c.prepared.left
	switch {
	case f.side == model.Right && c.input() == matrixInput:
		fields, names := c.columnNames(f.path, rows.Info().Columns)
		return fields, func(start int64, n int) []stream.Column {
			return []stream.Column{{Kind: stream.String, Strings: names[start : start+int64(n)]}}
		}, nil
	case f.side == model.Right && c.prepared.right != nil:
		rows = c.prepared.right
	}
	fields := c.carried(f.path, rows)
	if len(fields) == 0 {
		return nil, nil, nil
	}
	columns, err := allKept(ctx, c.engine(), rows)
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
