package main

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// asklsFamily are classifiers from asymmetric kernels.
var asklsFamily = &family{
	savedFamily: savedFamily{
		name:       askls.Name,
		methods:    []string{askls.Name},
		load:       loadASKLS,
		unverified: ": they approximate no matrix; nystream predict --label tells how often they are right",
	},
	fitters: []fitter{{askls.Name, "DATA... --label COLUMN | --graph EDGES --labels FILE | --matrix FILE", newASKLSTask}},
}

// asklsTask is a fit of askls.
type asklsTask struct {
	job        *job
	matrix     []string // files of a kernel matrix
	labelsFile string   // of nodes
	how        askls.Solver
	fraction   float64

	asides  asides
	known   knownLabels
	kind    string        // of the classes
	samples *askls.Data   // to learn from; of a graph when it is opened, else when rows are prepared
	all     stream.Source // all samples
	fitting *askls.Fit
	told    asklsFigures
}

func newASKLSTask(j *job, cmd *cobra.Command) *fitTask {
	c := &asklsTask{job: j}
	f := cmd.Flags()
	j.addKernel(cmd, "'sne(gamma=1)', 't()' or 'rbf(gamma=median)'")
	j.addLabelAside(cmd, "`column` or file of the labels of the rows; with --graph the column of --labels")
	f.StringSliceVar(&c.matrix, "matrix", nil, "`files` of the kernel matrix between the samples")
	completeFiles(cmd, dataExtensions, "matrix")
	f.StringVar(&c.labelsFile, "labels", "", "`file` of nodes of the graph and their labels")
	completeFiles(cmd, graphExtensions, "labels")
	f.Float64Var(&c.how.C, "C", 1, "`penalty` of errors against the size of the functions")
	f.Float64Var(&c.how.Ridge, "ridge", 0, "`penalty` of a least-squares solution; 1 if the system is singular")
	addChoice(cmd, &c.how.Engine, "engine", "solver of the linear system", []askls.Engine{askls.EngineAuto, askls.EngineDense, askls.EngineIterative, askls.EngineLowRank})
	addChoice(cmd, &c.how.Merge, "merge", "combination of the source and target functions (stack for graphs)",
		[]askls.Merge{askls.MergeAverage, askls.MergeStack, askls.MergeSource, askls.MergeTarget})
	f.IntVar(&c.how.Folds, "folds", 0, "`number` of folds of --merge stack; 10 if not given")
	j.addRank(cmd, "columns of the approximation of --engine lowrank, and of what speeds up iterative; 100 if not given")
	f.IntVar(&c.how.Landmarks, "landmarks", 0, "`number` of landmarks; 20 times the rank if not given")
	addChoice(cmd, &c.how.Sums, "sums", "row sums of normalised kernels: over all entries or landmarks",
		[]ksvd.Sums{ksvd.SumsAuto, ksvd.SumsExact, ksvd.SumsSampled})
	f.Float64Var(&c.how.ResidualTol, "tol", 1e-10, "relative `residual` that ends --engine iterative")
	f.IntVar(&c.how.Iterations, "iterations", 1000, "most `number` of iterations of --engine iterative")
	f.Float64Var(&c.fraction, "train-fraction", 0, "`share` of the samples to learn from, such as 0.6; others test")
	c.job.edges.add(cmd)
	setDefault(cmd, "self-loops", "add")
	setDefault(cmd, "degrees", "row")
	return &fitTask{refuses: c.refuses, parse: c.parse, inputs: c.inputs, open: c.open, openNotes: c.openNotes, names: c.names, title: c.title, shape: c.shape,
		plan: c.plan, prepare: c.prepare, fit: c.fit, rowsData: c.rowsData, charts: c.charts, marks: c.marks, planned: c.planned, fitted: c.fitted}
}

// setDefault gives a flag another default than it has in other commands.
func setDefault(cmd *cobra.Command, flag, word string) {
	f := cmd.Flags().Lookup(flag)
	mustRegister(f.Value.Set(word))
	f.DefValue = word
}

// asklsRowsOnly are the flags that rows alone have a use for.
var asklsRowsOnly = []string{"kernel", "rank", "landmarks", "sums", "nulls", "scale", "categories"}

func (c *asklsTask) refuses(args []string) []contradiction {
	graph, matrix, engine := c.job.given("graph"), c.job.given("matrix"), c.how.Engine
	lowrank := engine == askls.EngineLowRank
	exact := engine == askls.EngineDense || lowrank
	return []contradiction{
		{len(args) == 0 && !graph && !matrix, noData + ", a graph with --graph edges.csv, or a kernel matrix with --matrix K.npy"},
		{len(args) > 0 && (graph || matrix) || graph && matrix, "DATA, --graph and --matrix are three kinds of data: name one of them"},
		c.job.without(true, "carries nothing along here: use it with nystream predict", "keep"),
		c.job.without(graph || matrix, "is for rows of DATA: the entries of a graph or a matrix are the kernel; leave it out", asklsRowsOnly...),
		c.job.without(graph, "is for files of rows: leave it out with --graph", "input-format", "spool-dir"),
		c.job.without(!graph, "goes with --graph", "nodes", "weight", "self-loops", "degrees", "undirected", "simple"),
		c.job.without(!graph, "goes with --graph; labels of rows are named by --label", "labels"),
		{graph && len(c.job.data.columns) != 0 && len(c.job.data.columns) != 2, edgeColumns},
		c.job.needs(graph, "labels", ": a file with the nodes and their labels, such as --labels labels.csv"),
		c.job.needs(!graph, "label", ": the column of the labels, such as --label y, or a file"),
		c.job.needs(!graph && !matrix, "kernel", ", such as --kernel 'sne(gamma=1)'"),
		{!(c.how.C > 0 && c.how.C <= math.MaxFloat64), "--C must be above 0, such as 1"},
		{c.job.given("ridge") && !(c.how.Ridge > 0 && c.how.Ridge <= math.MaxFloat64), "--ridge must be above 0, such as 1; without one leave it out"},
		c.job.without(c.merge() != askls.MergeStack, "goes with --merge stack", "folds"),
		c.job.least("folds", c.how.Folds, 2),
		c.job.least("rank", c.job.rank, 1),
		c.job.least("landmarks", c.how.Landmarks, max(1, c.job.rank)),
		c.job.without(engine == askls.EngineDense, "is for the engines that approximate: iterative and lowrank", "rank", "landmarks", "sums"),
		{lowrank && (graph || matrix), "--engine lowrank is for kernels of rows: use iterative for a graph or a matrix"},
		c.job.without(exact, "is for --engine iterative", "tol", "iterations"),
		c.job.within("tol", c.how.ResidualTol, 1, "1e-10"),
		c.job.least("iterations", c.how.Iterations, 1),
		c.job.within("train-fraction", c.fraction, 1, "0.6"),
		{c.job.given("train-fraction") && c.job.rows.Nulls == prepare.NullsDrop,
			"--nulls drop leaves rows out after --train-fraction has divided them: use zero, mean or indicator"},
	}
}
