package askls

import (
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

// Family is the family of classifiers from asymmetric kernels.
var Family = &fit.Family{
	Family: saved.Family{
		Name:           askls.Name,
		Methods:        []string{askls.Name},
		Load:           load,
		WhyNotVerified: ": they approximate no matrix; nystream predict --label tells how often they are right",
	},
	Verbs: []fit.Verb{{Name: askls.Name, Args: "(DATA... --label COLUMN --kernel K | --graph EDGES --labels FILE | --matrix K --label FILE)", New: newTask}},
}

func newTask(j *fit.Job) *fit.Task {
	c := &task{job: j}
	j.AddKernel("kernel between two rows, which need not be symmetric", "'sne(gamma=1)', 't()' or 'rbf(gamma=median)'")
	j.AddLabelAnnotation("labels of the rows, in a column or file", "with --graph the column of --labels")
	for _, name := range []string{"nulls", "scale", "categories"} { // the entries of a matrix are the kernel
		j.Set.Flag(name).For = flags.Rows
	}
	j.Set.Flag("label").For = flags.Rows | flags.Matrix | flags.Graph
	j.AddRank("columns of the approximation, 100 if not given", "of --engine lowrank, and of the preconditioner of iterative")
	j.Set.Flag("rank").For = flags.Rows
	j.Set.Add(
		flags.Flag{Name: "matrix", Arg: "files", Usage: "kernel matrix between the samples", Group: flags.Data, Effect: flags.Locates, For: flags.Matrix, Value: flags.Strings(&c.matrix), Complete: flags.DataFiles},
		flags.Flag{Name: "labels", Arg: "file", Usage: "nodes of the graph and their labels", Group: flags.Data, Effect: flags.Locates, For: flags.Graph, Needs: "graph",
			Value: flags.String(&c.labelsFile, ""), Complete: flags.GraphFiles},
		flags.Flag{Name: "C", Arg: "penalty", Usage: "weight of errors against the norm of the functions", First: true, Value: flags.Float(&c.settings.C, 1)},
		flags.Flag{Name: "ridge", Arg: "penalty", Usage: "penalty of a least-squares solution", Doc: "1 if the system is singular", Value: flags.Float(&c.settings.Ridge, 0)},
		flags.Flag{Name: "engine", Field: "Algorithm", Arg: "word", Usage: "solver of the linear system",
			Value: flags.Choice(&c.settings.Algorithm, []askls.Algorithm{askls.AlgorithmAuto, askls.AlgorithmDense, askls.AlgorithmIterative, askls.AlgorithmLowRank})},
		flags.Flag{Name: "merge", Arg: "word", Usage: "combination of the source and target functions", Doc: "stack for graphs",
			Value: flags.Choice(&c.settings.Merge, []askls.Merge{askls.MergeAverage, askls.MergeStack, askls.MergeSource, askls.MergeTarget})},
		flags.Flag{Name: "folds", Arg: "number", Usage: "folds of --merge stack, 10 if not given", Value: flags.Int(&c.settings.Folds, 0)},
		flags.Flag{Name: "landmarks", Arg: "number", Usage: "landmarks; 20 times the rank if not given", For: flags.Rows, Value: flags.Int(&c.settings.Landmarks, 0)},
		flags.Flag{Name: "sums", Arg: "word", Usage: "row sums of normalised kernels", Doc: "over all entries or landmarks", For: flags.Rows,
			Value: flags.Choice(&c.settings.Sums, []ksvd.Sums{ksvd.SumsAuto, ksvd.SumsExact, ksvd.SumsSampled})},
		flags.Flag{Name: "tol", Arg: "residual", Usage: "relative residual that ends --engine iterative", Value: flags.Float(&c.settings.ResidualTol, 1e-10)},
		flags.Flag{Name: "iterations", Arg: "number", Usage: "most iterations of --engine iterative", Value: flags.Int(&c.settings.Iterations, 1000)},
		flags.Flag{Name: "train-fraction", Arg: "share", Usage: "share of the samples to train on", Doc: "such as 0.6; the rest is for testing", Value: flags.Float(&c.fraction, 0)},
	)
	c.job.Edges.Add(j.Set)
	j.Set.Flag("self-loops").Default("add")
	j.Set.Flag("degrees").Default("row")
	return &fit.Task{Refuses: c.refuses, Parse: c.parse, Inputs: c.inputs, Open: c.open, OpenNotes: c.openNotes, Names: c.names, Title: c.title, Shape: c.size,
		Plan: c.plan, Prepare: c.prepare, Fit: c.fit, RowsData: c.rowsData, Charts: c.charts, Marks: c.marks, Planned: c.planned, Fitted: c.fitted}
}

func load(a *model.Archive, data *saved.Data) (model.Model, error) {
	m, err := askls.Load(a)
	if err != nil {
		return nil, err
	}
	return m, checkModel(m, data)
}
