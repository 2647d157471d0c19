package askls

import (
	"math"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// task is a fit of askls.
type task struct {
	job        *fit.Job
	matrix     []string // files of a kernel matrix
	labelsFile string   // labels of nodes
	settings   askls.Solver
	fraction   float64

	annotations fit.Annotations
	labels      rows.KnownLabels
	kind        string        // of the classes
	samples     *askls.Data   // to learn from; set when a graph is opened, or when rows are prepared
	all         stream.Source // all samples
	fitting     *askls.Fit
	scores      tallies
}

func (c *task) refuses(refuse *flags.Refusals, args []string) {
	graph, matrix, engine := c.job.Given("graph"), c.job.Given("matrix"), c.settings.Algorithm
	lowrank := engine == askls.AlgorithmLowRank
	exact := engine == askls.AlgorithmDense || lowrank
	refuse.When(len(args) == 0 && !graph && !matrix, rows.NoData+", a graph with --graph edges.csv, or a kernel matrix with --matrix K.npy")
	refuse.When(len(args) > 0 && (graph || matrix) || graph && matrix, "DATA, --graph and --matrix are three kinds of data: name one of them")
	refuse.If(true, "keep", "carries nothing along here: use it with nystream predict")
	refuse.When(graph && len(c.job.Data.Columns) != 0 && len(c.job.Data.Columns) != 2, rows.EdgeColumns)
	refuse.Missing(graph, "labels", ": a file with the nodes and their labels, such as --labels labels.csv")
	refuse.Missing(!graph, "label", ": the column of the labels, such as --label y, or a file")
	refuse.Missing(!graph && !matrix, "kernel", ", such as --kernel 'sne(gamma=1)'")
	refuse.When(!(c.settings.C > 0 && c.settings.C <= math.MaxFloat64), "--C must be above 0, such as 1")
	refuse.When(c.job.Given("ridge") && !(c.settings.Ridge > 0 && c.settings.Ridge <= math.MaxFloat64), "--ridge must be above 0, such as 1; without one leave it out")
	refuse.If(c.merge() != askls.MergeStack, "folds", "goes with --merge stack")
	refuse.Below("folds", c.settings.Folds, 2)
	refuse.Below("rank", c.job.Rank, 1)
	refuse.Below("landmarks", c.settings.Landmarks, max(1, c.job.Rank))
	refuse.If(engine == askls.AlgorithmDense, "rank landmarks sums", "is for the engines that approximate: iterative and lowrank")
	refuse.When(lowrank && (graph || matrix), "--engine lowrank is for kernels of rows: use iterative for a graph or a matrix")
	refuse.If(exact, "tol iterations", "is for --engine iterative")
	refuse.Outside("tol", c.settings.ResidualTol, 1, "1e-10")
	refuse.Below("iterations", c.settings.Iterations, 1)
	refuse.Outside("train-fraction", c.fraction, 1, "0.6")
	refuse.When(c.job.Given("train-fraction") && c.job.Rows.Nulls == prepare.NullsDrop, "--nulls drop leaves rows out after --train-fraction has divided them: use zero, mean or indicator")
}
