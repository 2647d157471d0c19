package operator

import (
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/rkhs"
)

// Family is the family of operators between spaces of functions.
var Family = &fit.Family{
	Family: saved.Family{
		Name:           rkhs.Name,
		Methods:        []string{rkhs.Name},
		Load:           saved.Loader(rkhs.Load),
		Inspect:        inspectOperator,
		WhyNotVerified: ": they approximate no matrix; fit operator reports residuals and the trace that the features leave (trace_left)",
	},
	Verbs: []fit.Verb{{Name: rkhs.Name, Args: "X... [--with Y... | --lag L] --kind KIND --kernel K --rank N", New: newTask}},
}

func newTask(j *fit.Job) *fit.Task {
	c := &task{job: j}
	j.Set.Add(
		flags.Flag{Name: "kind", Arg: "word", Usage: "operator", First: true, Value: flags.Choice(&c.kind, flags.Words(append(rkhs.OperatorNames(), explicitKind)...))},
		flags.Flag{Name: "with", Arg: "files", Usage: "rows y, paired with the rows of X", Group: flags.Data, First: true, Effect: flags.Locates, Value: flags.Strings(&j.RightFiles), Complete: flags.DataFiles},
		flags.Flag{Name: "with-columns", Arg: "names", Usage: "columns of --with; those of X if not given", Group: flags.Data, Needs: "with", Value: flags.Strings(&c.withColumns)},
		flags.Flag{Name: "lag", Arg: "number", Usage: "time lag of a pair, in rows", First: true, Value: flags.Int64(&c.lag, 0)},
		flags.Flag{Name: "trajectory-by", Arg: "column", Usage: "column that identifies trajectories", Needs: "lag", Group: flags.Data, Effect: flags.Locates, Value: flags.String(&c.trajectoryBy, ""),
			Complete: flags.Completion{Func: j.Data.CompleteColumns}},
		flags.Flag{Name: "trajectories", Arg: "word", Usage: "trajectories of --lag", Needs: "lag", Value: flags.Choice(&c.trajectoryFiles, trajectories, "one per file", "all files together")},
	)
	j.Set.Flag("kind").NoDefault()
	j.AddKernel("kernel between two rows", "'rbf(sigma=0.25)'")
	j.AddRank("number of singular values or eigenvalues", "conjugate pairs stay whole")
	j.Set.Add(
		flags.Flag{Name: "kernel-y", Arg: "kernel", Usage: "kernel of y; that of x if not given", Value: flags.String(&c.kernelYText, ""), Complete: flags.Kernels},
		flags.Flag{Name: "ridge", Arg: "number", Usage: "regularisation added to covariance operators before inversion", Value: flags.Float(&c.ridge, 1e-3)},
		flags.Flag{Name: "task", Arg: "word", Usage: "decomposition", Value: flags.Choice(&c.settings.Task, []rkhs.Task{rkhs.SVD, rkhs.Eigen})},
		flags.Flag{Name: "center", Usage: "centre the features: covariances, not second moments", Value: flags.Bool(&c.settings.Center, false)},
		flags.Flag{Name: "engine", Field: "Algorithm", Arg: "word", Usage: "basis of the functions", Value: flags.Choice(&c.settings.Algorithm, []rkhs.Algorithm{rkhs.AlgorithmAuto, rkhs.AlgorithmExact, rkhs.AlgorithmLandmark})},
		flags.Flag{Name: "landmarks", Arg: "number", Usage: "most landmarks of a side", Doc: "300 if not given, 1000 if exact", Value: flags.Int(&c.settings.Landmarks, 0)},
		flags.Flag{Name: "matrix", Arg: "files", Usage: "B of --kind explicit", Doc: "a row per y, a column per x", Group: flags.Data, Effect: flags.Locates, Value: flags.Strings(&c.matrixFiles), Complete: flags.DataFiles},
		flags.Flag{Name: "clusters", Arg: "number", Usage: "number of sets to find in X", Value: flags.Int(&c.clusters, 0)},
	)
	j.AddClusters("write the set of each row of X")
	j.Set.Flag("clusters-output").Needs = "clusters"
	return &fit.Task{Refuses: c.refuses, Parse: c.parse, Inputs: c.inputs, Open: c.open, OpenNotes: c.openNotes, Names: c.names, Title: c.title, Shape: c.size,
		Plan: c.plan, Prepare: c.prepare, Fit: c.fit, RowsData: c.rowsData, Preparations: c.preparations, Write: c.write, Charts: c.charts, Fitted: c.fitted}
}
