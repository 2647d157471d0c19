package main

import (
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
)

// lowrankFamily are the low-rank models of a matrix.
var lowrankFamily = &family{
	savedFamily: savedFamily{
		name: "lowrank",
		// Models of fastspsd and polysketch are of earlier versions.
		methods: []string{"landmark", "pca", "s3spsd", "ssrsvd", "nystrom", "fastspsd", "rpcholesky", "rff",
			"polysketch", "subspace"},
		load:     loader(lowrank.Load),
		clusters: true,
	},
	fitters: lowrankFitters(),
}

// lowrankFitters returns a sub-command of fit for each method.
func lowrankFitters() (list []fitter) {
	for i := range lowrankMethods {
		m := &lowrankMethods[i]
		list = append(list, fitter{m.name, m.arguments, m.task})
	}
	return list
}

func (m *lowrankMethod) task(j *job) *fitTask {
	c := &lowrankTask{job: j, info: m}
	j.addKernel("kernel between two rows", "'rbf(sigma2=0.2)', 'matern52(length=median)' or '0.5*linear() + laplace(gamma=1)'")
	j.addRank("columns of the embedding", "")
	if m.tolerance {
		j.set.Add(
			flags.Flag{Name: "tol", Arg: "error", Usage: "relative error to reach; --rank becomes the limit", Doc: "such as 0.01", First: true, For: flags.Rows, Value: flags.Float(&c.tolerance, 0)},
			flags.Flag{Name: "norm", Arg: "word", Usage: "norm of --tol", Needs: "tol",
				Value: flags.Choice(&c.norm, []lowrank.Norm{lowrank.NormSpectral, lowrank.NormFrobenius}, "the largest singular value", "all entries")},
		)
	}
	if m.sketch {
		j.set.Add(
			flags.Flag{Name: "sketch", Arg: "number", Usage: "columns of the sketch for the core", Doc: "at least the rank, 5 times the rank if 0", Value: flags.Int(&c.sketch, 0)},
			flags.Flag{Name: "nnz", Arg: "number", Usage: "nonzeros in each column of a sketch, 4 if 0", For: flags.Rows, Value: flags.Int(&c.nnz, 0)},
			flags.Flag{Name: "leverage-rows", Arg: "number", Usage: "rows of high leverage in the core", Doc: "twice the rank if not given; 0 is as published", For: flags.Rows, Value: flags.Int(&c.leverage, 0)},
		)
	}
	if m.landmarks != "" {
		j.set.Add(flags.Flag{Name: "landmarks", Arg: "number", Usage: "landmarks; " + m.landmarks + " if not given", Value: flags.Int(&c.landmarks, 0)})
	}
	if m.symmetric {
		j.addFactors("factors", "U", model.Left, "write the embedding of DATA too")
		j.set.Add(flags.Flag{Name: "clusters", Arg: "number", Usage: "clusters of the rows, or auto for the eigengap", Value: flags.String(&c.clusters, "")})
		j.addClusters("write the cluster of each row")
		j.set.Flag("clusters-output").Needs = "clusters"
		j.set.Add(flags.Flag{Name: "novelty", Usage: "keep distances of fitted rows, for predict --novelty", Value: flags.Bool(&c.novelty, false)})
	}
	if m.twoSided {
		j.addRight("rows that are the columns of A")
		j.addFactors("left-factors", "U", model.Left, "write U of two, a row for each of DATA")
		j.addFactors("right-factors", "V", model.Right, "write V, a row for each column of A")
		j.set.Add(flags.Flag{Name: "sums", Arg: "word", Usage: "row sums of sne, softmax and t", Doc: "over all rows of the right side, or sampled ones", For: flags.Rows,
			Value: flags.Choice(&c.sums, []lowrank.Sums{lowrank.SumsAuto, lowrank.SumsExact, lowrank.SumsSampled})})
	}
	addCoordinates(j.set, &j.scale)
	if m.addFlags != nil {
		m.addFlags(c)
	}
	return &fitTask{refuses: c.refuses, parse: c.parse, inputs: c.inputs, open: c.open, names: c.names, title: c.title, shape: c.shape, plan: c.plan,
		fit: c.fit, rowsData: c.rowsData, write: c.write, charts: c.charts, marks: c.marks, planned: c.planned, fitted: c.fitted}
}
