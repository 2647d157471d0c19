package lowrank

import (
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// Family is the family of low-rank models.
var Family = &fit.Family{
	Family: saved.Family{
		Name: "lowrank",
		// Models of fastspsd and polysketch come from earlier versions.
		Methods: []string{"landmark", "pca", "s3spsd", "ssrsvd", "nystrom", "fastspsd", "rpcholesky", "rff",
			"polysketch", "subspace"},
		Load:     saved.Loader(lowrank.Load),
		Clusters: true,
	},
	Verbs: verbs(),
}

// verbs returns a sub-command of fit for each method.
func verbs() (list []fit.Verb) {
	for i := range methods {
		m := &methods[i]
		list = append(list, fit.Verb{Name: m.name, Args: m.arguments, Last: m.last, New: m.task})
	}
	return list
}

func (m *method) task(j *fit.Job) *fit.Task {
	c := &task{job: j, method: m}
	j.AddKernel("kernel between two rows", "'rbf(sigma2=0.2)', 'matern52(length=median)' or '0.5*linear() + laplace(gamma=1)'")
	j.AddRank("columns of the embedding", "")
	if m.tolerance {
		j.Set.Add(
			flags.Flag{Name: "tol", Field: "ErrorTol", Arg: "error", Usage: "relative error to reach; --rank becomes the limit", Doc: "such as 0.01", First: true, For: flags.Rows, Value: flags.Float(&c.tolerance, 0)},
			flags.Flag{Name: "norm", Arg: "word", Usage: "norm of --tol", Needs: "tol",
				Value: flags.Choice(&c.norm, []lowrank.Norm{lowrank.NormSpectral, lowrank.NormFrobenius}, "the largest singular value", "all entries")},
		)
	}
	if m.sketch {
		j.Set.Add(
			flags.Flag{Name: "sketch", Arg: "number", Usage: "columns of the sketch for the core", Doc: "at least the rank, 5 times the rank if 0", Value: flags.Int(&c.sketch, 0)},
			flags.Flag{Name: "nnz", Arg: "number", Usage: "nonzeros in each column of a sketch, 4 if 0", For: flags.Rows, Value: flags.Int(&c.nnz, 0)},
			flags.Flag{Name: "leverage-rows", Arg: "number", Usage: "rows of high leverage in the core", Doc: "twice the rank if not given; 0 is as published", For: flags.Rows, Value: flags.Int(&c.leverage, 0)},
		)
	}
	if m.landmarks != "" {
		j.Set.Add(flags.Flag{Name: "landmarks", Arg: "number", Usage: "landmarks; by the rank if not given", Doc: m.landmarks, Value: flags.Int(&c.landmarks, 0)})
	}
	if m.symmetric {
		j.AddFactors("factors", "U", model.Left, "write the embedding of DATA too")
		j.Set.Add(flags.Flag{Name: "clusters", Arg: "number", Usage: "number of clusters, or auto by the eigengap", Value: flags.String(&c.clusters, "")})
		j.AddClusters("write the cluster of each row")
		j.Set.Flag("clusters-output").Needs = "clusters"
		j.Set.Add(flags.Flag{Name: "novelty", Usage: "keep distances of fitted rows, for predict --novelty", Value: flags.Bool(&c.novelty, false)})
	}
	if m.twoSided {
		j.AddRight("rows that are the columns of A")
		j.AddFactors("left-factors", "U", model.Left, "write U, a row for each row of DATA")
		j.AddFactors("right-factors", "V", model.Right, "write V, a row for each column of A")
		j.Set.Add(flags.Flag{Name: "sums", Arg: "word", Usage: "row sums of sne, softmax and t", Doc: "over all rows of the right side, or sampled ones", For: flags.Rows,
			Value: flags.Choice(&c.sums, []lowrank.Sums{lowrank.SumsAuto, lowrank.SumsExact, lowrank.SumsSampled})})
	}
	rows.AddCoordinates(j.Set, &j.Scale)
	if m.addFlags != nil {
		m.addFlags(c)
	}
	return &fit.Task{Refuses: c.refuses, Parse: c.parse, Inputs: c.inputs, Open: c.open, Names: c.names, Title: c.title, Shape: c.size, Plan: c.plan,
		Fit: c.fit, RowsData: c.rowsData, Write: c.write, Charts: c.charts, Marks: c.marks, Planned: c.planned, Fitted: c.fitted}
}
