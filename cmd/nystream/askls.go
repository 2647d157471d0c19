package main

import (
	"math"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
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

func newASKLSTask(j *job) *fitTask {
	c := &asklsTask{job: j}
	j.addKernel("kernel between two rows, which need not be symmetric", "'sne(gamma=1)', 't()' or 'rbf(gamma=median)'")
	j.addLabelAside("labels of the rows, in a column or file", "with --graph the column of --labels")
	for _, name := range []string{"nulls", "scale", "categories"} { // the entries of a matrix are the kernel
		j.set.Flag(name).For = flags.Rows
	}
	j.set.Flag("label").For = flags.Rows | flags.Matrix | flags.Graph
	j.addRank("columns of the approximation, 100 if not given", "of --engine lowrank, and of what speeds up iterative")
	j.set.Flag("rank").For = flags.Rows
	j.set.Add(
		flags.Flag{Name: "matrix", Arg: "files", Usage: "kernel matrix between the samples", Group: flags.Data, Effect: flags.Locates, For: flags.Matrix, Value: flags.Strings(&c.matrix), Complete: flags.DataFiles},
		flags.Flag{Name: "labels", Arg: "file", Usage: "nodes of the graph and their labels", Group: flags.Data, Effect: flags.Locates, For: flags.Graph, Needs: "graph",
			Value: flags.String(&c.labelsFile, ""), Complete: flags.GraphFiles},
		flags.Flag{Name: "C", Arg: "penalty", Usage: "penalty of errors against the size of functions", First: true, Value: flags.Float(&c.how.C, 1)},
		flags.Flag{Name: "ridge", Arg: "penalty", Usage: "penalty of a least-squares solution", Doc: "1 if the system is singular", Value: flags.Float(&c.how.Ridge, 0)},
		flags.Flag{Name: "engine", Arg: "word", Usage: "solver of the linear system",
			Value: flags.Choice(&c.how.Engine, []askls.Engine{askls.EngineAuto, askls.EngineDense, askls.EngineIterative, askls.EngineLowRank})},
		flags.Flag{Name: "merge", Arg: "word", Usage: "combination of the source and target functions", Doc: "stack for graphs",
			Value: flags.Choice(&c.how.Merge, []askls.Merge{askls.MergeAverage, askls.MergeStack, askls.MergeSource, askls.MergeTarget})},
		flags.Flag{Name: "folds", Arg: "number", Usage: "folds of --merge stack, 10 if not given", Value: flags.Int(&c.how.Folds, 0)},
		flags.Flag{Name: "landmarks", Arg: "number", Usage: "landmarks; 20 times the rank if not given", For: flags.Rows, Value: flags.Int(&c.how.Landmarks, 0)},
		flags.Flag{Name: "sums", Arg: "word", Usage: "row sums of normalised kernels", Doc: "over all entries or landmarks", For: flags.Rows,
			Value: flags.Choice(&c.how.Sums, []ksvd.Sums{ksvd.SumsAuto, ksvd.SumsExact, ksvd.SumsSampled})},
		flags.Flag{Name: "tol", Arg: "residual", Usage: "relative residual that ends --engine iterative", Value: flags.Float(&c.how.ResidualTol, 1e-10)},
		flags.Flag{Name: "iterations", Arg: "number", Usage: "iterations of --engine iterative, at most", Value: flags.Int(&c.how.Iterations, 1000)},
		flags.Flag{Name: "train-fraction", Arg: "share", Usage: "share of the samples to learn from", Doc: "such as 0.6; the others test", Value: flags.Float(&c.fraction, 0)},
	)
	c.job.edges.add(j.set)
	j.set.Flag("self-loops").Default("add")
	j.set.Flag("degrees").Default("row")
	return &fitTask{refuses: c.refuses, parse: c.parse, inputs: c.inputs, open: c.open, openNotes: c.openNotes, names: c.names, title: c.title, shape: c.shape,
		plan: c.plan, prepare: c.prepare, fit: c.fit, rowsData: c.rowsData, charts: c.charts, marks: c.marks, planned: c.planned, fitted: c.fitted}
}

func (c *asklsTask) refuses(refuse *flags.Refusals, args []string) {
	graph, matrix, engine := c.job.given("graph"), c.job.given("matrix"), c.how.Engine
	lowrank := engine == askls.EngineLowRank
	exact := engine == askls.EngineDense || lowrank
	refuse.When(len(args) == 0 && !graph && !matrix, noData+", a graph with --graph edges.csv, or a kernel matrix with --matrix K.npy")
	refuse.When(len(args) > 0 && (graph || matrix) || graph && matrix, "DATA, --graph and --matrix are three kinds of data: name one of them")
	refuse.If(true, "keep", "carries nothing along here: use it with nystream predict")
	refuse.When(graph && len(c.job.data.columns) != 0 && len(c.job.data.columns) != 2, edgeColumns)
	refuse.Missing(graph, "labels", ": a file with the nodes and their labels, such as --labels labels.csv")
	refuse.Missing(!graph, "label", ": the column of the labels, such as --label y, or a file")
	refuse.Missing(!graph && !matrix, "kernel", ", such as --kernel 'sne(gamma=1)'")
	refuse.When(!(c.how.C > 0 && c.how.C <= math.MaxFloat64), "--C must be above 0, such as 1")
	refuse.When(c.job.given("ridge") && !(c.how.Ridge > 0 && c.how.Ridge <= math.MaxFloat64), "--ridge must be above 0, such as 1; without one leave it out")
	refuse.If(c.merge() != askls.MergeStack, "folds", "goes with --merge stack")
	refuse.Below("folds", c.how.Folds, 2)
	refuse.Below("rank", c.job.rank, 1)
	refuse.Below("landmarks", c.how.Landmarks, max(1, c.job.rank))
	refuse.If(engine == askls.EngineDense, "rank landmarks sums", "is for the engines that approximate: iterative and lowrank")
	refuse.When(lowrank && (graph || matrix), "--engine lowrank is for kernels of rows: use iterative for a graph or a matrix")
	refuse.If(exact, "tol iterations", "is for --engine iterative")
	refuse.Outside("tol", c.how.ResidualTol, 1, "1e-10")
	refuse.Below("iterations", c.how.Iterations, 1)
	refuse.Outside("train-fraction", c.fraction, 1, "0.6")
	refuse.When(c.job.given("train-fraction") && c.job.rows.Nulls == prepare.NullsDrop, "--nulls drop leaves rows out after --train-fraction has divided them: use zero, mean or indicator")
}
