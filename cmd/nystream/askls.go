package main

import (
	"math"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

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
