package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// lowrankFamily are the low-rank models of a matrix.
var lowrankFamily = &family{
	name: "lowrank",
	// Models of fastspsd and polysketch are of earlier versions.
	methods: []string{"landmark", "pca", "s3spsd", "ssrsvd", "nystrom", "fastspsd", "rpcholesky", "rff",
		"polysketch", "subspace"},
	fitters: lowrankFitters(),
	load:    loader(lowrank.Load),
}

// lowrankFitters returns a sub-command of fit for each method.
func lowrankFitters() (list []fitter) {
	for i := range lowrankMethods {
		m := &lowrankMethods[i]
		list = append(list, fitter{m.name, m.arguments, m.task})
	}
	return list
}

// lowrankTask is a fit of a low-rank model.
type lowrankTask struct {
	*job
	info *lowrankMethod

	mapText     string
	matrix      []string // files of an explicit matrix
	sketch, nnz int      // of s3spsd and ssrsvd
	leverage    int      // rows that join their core, if given
	landmarks   int
	core        int          // points of landmark
	rule        lowrank.Rule // of landmark and nystrom
	shift       lowrank.Shift
	passes      int // exact passes, of subspace
	refine      int // further passes over a matrix on disk
	tolerance   float64
	norm        lowrank.Norm // of the tolerance
	clusters    string       // a number, or auto
	novelty     bool
	sums        lowrank.Sums // of a normalised kernel

	mapping kernelgen.Map
	solver  lowrank.Method
	fitting *lowrank.Fit
	groups  *picture.Groups // clusters of the rows of pictures
}

func (m *lowrankMethod) task(j *job, cmd *cobra.Command) task {
	c := &lowrankTask{job: j, info: m}
	f := cmd.Flags()
	j.addKernel(cmd, "'rbf(sigma2=0.2)', 'matern52(length=median)' or '0.5*linear() + laplace(gamma=1)'")
	j.addRank(cmd, "columns of U")
	if m.tolerance {
		f.Float64Var(&c.tolerance, "tol", 0, "relative `error` to reach, such as 0.01, with --rank as the most")
		addChoice(cmd, &c.norm, "norm", "norm of --tol", []lowrank.Norm{lowrank.NormSpectral, lowrank.NormFrobenius},
			"the largest singular value", "all entries")
	}
	if m.sketchUsage != "" {
		f.IntVar(&c.sketch, "sketch", 0, m.sketchUsage)
		f.IntVar(&c.nnz, "nnz", 0, "nonzeros in each column of a sketch; 0 means 4")
		f.IntVar(&c.leverage, "leverage-rows", 0, "`number` of high-leverage rows in the core; twice the rank if not given")
	}
	if m.landmarksUsage != "" {
		f.IntVar(&c.landmarks, "landmarks", 0, m.landmarksUsage)
	}
	if m.symmetric {
		j.addFactors(cmd, "factors", "U", model.Left, "write scores, or U, one row per input row,")
		f.StringVar(&c.clusters, "clusters", "", "`number` of clusters of the rows, or auto for the eigengap")
		j.addClusters(cmd, "write the cluster of each row")
		f.BoolVar(&c.novelty, "novelty", false, "keep distances of fitted rows, for predict --novelty")
	}
	if m.twoSided {
		j.addRight(cmd, "the columns of A")
		j.addFactors(cmd, "left-factors", "U", model.Left,
			"write scores, or U of A ≈ U·diag(values)·Vᵀ, one row per row of DATA,")
		j.addFactors(cmd, "right-factors", "V", model.Right,
			"write scores, or V of A ≈ U·diag(values)·Vᵀ, one row per column of A,")
		addChoice(cmd, &c.sums, "sums", "row sums of sne, softmax and t: over all rows of the right side, or sampled ones",
			[]lowrank.Sums{lowrank.SumsAuto, lowrank.SumsExact, lowrank.SumsSampled})
	}
	addCoordinates(cmd, &j.scale)
	if m.addFlags != nil {
		m.addFlags(c, cmd)
	}
	return c
}

// explicit reports whether the matrix itself is read.
func (c *lowrankTask) explicit() bool { return len(c.matrix) > 0 }

func (c *lowrankTask) refuses(args []string) []contradiction {
	two, matrix, tolerance := c.given("right"), c.given("matrix"), c.given("tol")
	square := c.asymmetric() && c.info.symmetric && c.info.twoSided && !two
	alternative := ""
	if c.info.tolerance {
		alternative = "; or which error is small enough, such as --tol 0.01"
	}
	return []contradiction{
		{len(args) == 0 && !matrix, noData},
		{matrix && len(args)+len(c.rightFiles) > 0, "--matrix names the matrix itself: leave out DATA and --right, or leave out --matrix"},
		c.without(matrix, "is for kernels: a --matrix is sketched by all its columns; leave it out", "nnz", "leverage-rows"),
		{matrix && c.given("kernel"), "--matrix goes with --map, not with --kernel"},
		c.without(!matrix, "goes with --matrix; for rows of DATA name a --kernel", "map"),
		c.needs(!matrix, "kernel", ", such as --kernel 'rbf(gamma=median)'"),
		oneStandardInput(args, c.rightFiles),
		c.needs(!tolerance && c.info.name != "auto", "rank", ": how many columns U shall have, such as --rank 50"+alternative),
		c.least("rank", c.rank, 1),
		c.least("landmarks", c.landmarks, 1),
		c.least("leverage-rows", c.leverage, 0),
		{c.given("landmarks") && c.landmarks < c.rank, fmt.Sprintf("--landmarks %d is below --rank %d: there are as many landmarks as columns of U, or more", c.landmarks, c.rank)},
		c.least("core", c.core, 1),
		c.without(tolerance, "goes with --rank: with --tol landmarks are added until the error is reached", "landmarks", "core"),
		c.within("tol", c.tolerance, 1, "0.01"),
		c.without(two, "is for the symmetric matrix of one source: name a --rank with --right", "tol"),
		{!matrix && c.given("refine"), "--refine goes with --matrix: for exact passes over a kernel matrix take subspace, or auto"},
		{c.given("coordinates") && !c.writesFactors(),
			"--coordinates is the scale of the columns of a file: name one with --factors, or give it to transform"},
		c.without(two, "is for the rows of one source: leave it out with --right", "clusters", "novelty"),
		c.without(c.clusters == "", "goes with --clusters", "clusters-output"),
		{c.given("norm") && c.given("rank") && !tolerance, "--norm is for --tol: a fit of a --rank tells its error in both norms"},
		{two && c.info.name == "landmark" && c.rule != lowrank.RuleAuto && c.rule != lowrank.RuleUniform, "--rule is for the symmetric matrix of one source: with --right landmarks are uniform"},
		c.without(square, "is for symmetric kernels, and "+c.kernelText+" is not: name a --rank", "tol"),
		c.without(square, "is for symmetric kernels, and "+c.kernelText+" is not: leave it out", "clusters", "novelty", "shift"),
		{square && c.given("rule") && c.rule != lowrank.RuleAuto && c.rule != lowrank.RuleUniform, "--rule is for symmetric kernels: landmarks of others are uniform"},
		{square && c.given("factors"), "of a kernel that is not symmetric there are two factors: name --left-factors, --right-factors or both"},
		c.without(!c.normalised(), "is for kernels that are divided by their row sums: sne, softmax and t; leave it out", "sums"),
		{two && c.given("factors"), "with --right there are two factors: name --left-factors, --right-factors or both"},
		c.without(two, "is for the symmetric matrix of one source: leave it out with --right", "shift"),
		{c.symmetric() && c.first("left-factors", "right-factors") != "", "the matrix is symmetric and has one factor: name --factors"},
	}
}

// leverageRows returns the number of rows that join the core: of the library 0 is the default, and −1 none.
func (c *lowrankTask) leverageRows() int {
	if c.given("leverage-rows") && c.leverage == 0 {
		return -1
	}
	return c.leverage
}

// symmetric reports whether A is approximated by one factor.
func (c *lowrankTask) symmetric() bool {
	return c.info.symmetric && len(c.rightFiles) == 0 && !(c.info.twoSided && c.asymmetric())
}

// asymmetric reports whether --kernel is known and not symmetric.
func (c *lowrankTask) asymmetric() bool {
	k, err := kernelgen.Parse(c.kernelText)
	return err == nil && !k.Symmetric()
}

// normalised reports whether --kernel is known and divided by its row sums.
func (c *lowrankTask) normalised() bool {
	k, err := kernelgen.Parse(c.kernelText)
	if err != nil {
		return false
	}
	_, normalised := k.Normaliser()
	return normalised
}

func (c *lowrankTask) inputs() []string { return c.matrix }

func (c *lowrankTask) parse() (err error) {
	if c.explicit() {
		if c.mapText == "" {
			c.mapText = "identity"
		}
		if c.mapping, err = kernelgen.ParseMap(c.mapText); err != nil {
			return err
		}
	} else if c.kernel, err = kernelgen.Parse(c.kernelText); err != nil {
		return err
	} else if err := c.checkKernel(); err != nil {
		return err
	}
	c.solver, err = c.info.solver(c)
	if err != nil || c.clusters == "" && !c.novelty {
		return err
	}
	s := lowrank.Sampled{Method: c.solver, Novelty: c.novelty, Seed: c.seed}
	if c.clusters == "auto" {
		s.Clusters = lowrank.AutoClusters
	} else if c.clusters != "" {
		if s.Clusters, err = strconv.Atoi(c.clusters); err != nil || s.Clusters < 2 {
			return fmt.Errorf("--clusters %s must be a number from 2 on, or auto", c.clusters)
		}
	}
	c.solver = s
	return nil
}

// checkKernel refuses kernels that a method would make nonsense of.
func (c *lowrankTask) checkKernel() error {
	if !c.kernel.Symmetric() && c.symmetric() {
		return fmt.Errorf("kernel %s is not symmetric, and the matrix of one source is not either: use landmark, ssrsvd, or auto", c.kernel)
	}
	plain, _ := c.kernel.Normaliser()
	return plain.CheckPlain()
}

func (c *lowrankTask) open(ctx context.Context, args []string) error {
	if c.explicit() {
		args = c.matrix
	}
	return c.job.open(ctx, args)
}

func (c *lowrankTask) names() []string {
	if c.explicit() {
		return []string{"matrix"}
	}
	return c.job.names()
}

func (c *lowrankTask) shape() model.Shape {
	s := c.job.shape()
	if c.explicit() {
		s.Cols = int64(s.Columns)
	}
	return s
}

func (c *lowrankTask) title() string {
	s := c.shape()
	if s.OneSource() {
		s.Cols = s.Rows
	}
	if c.explicit() {
		return fmt.Sprintf("%s model of %s of a %s × %s matrix", c.method, c.mapping, report.Count(s.Rows), report.Count(s.Cols))
	}
	return fmt.Sprintf("%s model of the %s × %s kernel matrix %s", c.method, report.Count(s.Rows), report.Count(s.Cols), c.kernel)
}

// plan counts the passes for factors too, of which one makes them orthonormal.
func (c *lowrankTask) plan(e stream.Engine) (*model.Plan, error) {
	s := c.job.shape()
	p, err := c.solver.Plan(e, s, c.kernel)
	if err == nil && c.writesFactors() {
		p.Map("blocks of factors", s.Columns, c.rank)
		if p.ExactPasses > 0 { // the model holds all rows
			p.Add("tiles of factors", int64(e.Workers())*stream.PanelRows*max(s.Rows, s.Cols), "`threads`")
		}
		p.SourcePasses++ // for orthonormal factors
		if c.explicit() {
			p.SourcePasses++
		} else {
			p.SourcePasses += c.writingPasses()
		}
		p.KernelEntries *= 3
	}
	if err == nil && c.writes(model.Class) {
		p.Map("blocks of clusters", s.Columns, 1)
		p.SourcePasses++
	}
	return p, err
}

// orthonormal is what max|UᵀU−I| may be for factors that are written as they come
// out of the fit. Above it one more pass makes them orthonormal to rounding.
const orthonormal = 1e-10

// fit fits the model, and makes the factors orthonormal when they are wanted and are
// not.
func (c *lowrankTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	d := c.prepared.sources()
	f, err := c.solver.Fit(ctx, e, d, c.kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.kernel = f, f.Kernel
	if c.states.folder != "" {
		e.Run = nil // shards do not make factors
	}
	if c.writesFactors() && !c.states.stops() && f.OrthogonalityBound() > orthonormal {
		err = f.Refine(ctx, e, d)
	}
	return f.Model, &f.Report, err
}

func (c *lowrankTask) rowsData() rowsData {
	d := c.job.rowsData()
	d.Sources = 1
	if c.sides.right != nil {
		d.Sources = 2
	}
	return d
}

// write writes the factors; of a matrix that was read V is in the model.
func (c *lowrankTask) write(ctx context.Context, m model.Model) ([]pathWriter, error) {
	right := c.path("right-factors")
	if !c.explicit() || right == "" {
		return c.job.write(ctx, m)
	}
	of := *c.job
	of.factors = slices.DeleteFunc(slices.Clone(c.factors), func(f *factorFile) bool { return f.side == model.Right })
	writers, err := of.write(ctx, m)
	if err != nil {
		return writers, err
	}
	v := c.fitting.Explicit.V
	v.Data = slices.Clone(v.Data)
	for i := 0; c.scale == "scores" && i < v.Rows; i++ {
		for j := range v.Cols {
			v.Data[i*v.Stride+j] *= math.Sqrt(c.fitting.Values[j])
		}
	}
	w, err := c.writeMatrix(right, numbered("v", v.Cols), v, c.left.Info().Columns)
	if w != nil {
		writers = append(writers, pathWriter{w, right})
	}
	return writers, err
}
