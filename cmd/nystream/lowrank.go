package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// lowrankTask is a fit of a low-rank model.
type lowrankTask struct {
	job  *job
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
	groups  *chart.Groups // clusters of the rows of pictures
}

// explicit reports whether the matrix itself is read.
func (c *lowrankTask) explicit() bool { return len(c.matrix) > 0 }

func (c *lowrankTask) refuses(refuse *flags.Refusals, args []string) {
	two, matrix, tolerance := c.job.given("right"), c.job.given("matrix"), c.job.given("tol")
	square := c.asymmetric() && c.info.symmetric && c.info.twoSided && !two
	alternative := ""
	if c.info.tolerance {
		alternative = "; or which error is small enough, such as --tol 0.01"
	}
	refuse.When(len(args) == 0 && !matrix, noData)
	refuse.When(matrix && len(args)+len(c.job.rightFiles) > 0, "--matrix names the matrix itself: leave out DATA and --right, or leave out --matrix")
	refuse.If(matrix, "nnz leverage-rows", "is for kernels: a --matrix is sketched by all its columns; leave it out")
	refuse.When(matrix && c.job.given("kernel"), "--matrix goes with --map, not with --kernel")
	refuse.If(!matrix, "map", "goes with --matrix; for rows of DATA name a --kernel")
	refuse.Missing(!matrix, "kernel", ", such as --kernel 'rbf(gamma=median)'")
	refuse.When(slices.Contains(args, "-") && slices.Contains(c.job.rightFiles, "-"), oneStandardInput)
	refuse.Missing(!tolerance && c.info.name != "auto", "rank", ": how many columns U shall have, such as --rank 50"+alternative)
	refuse.Below("rank", c.job.rank, 1)
	refuse.Below("landmarks", c.landmarks, 1)
	refuse.Below("leverage-rows", c.leverage, 0)
	refuse.When(c.job.given("landmarks") && c.landmarks < c.job.rank, fmt.Sprintf("--landmarks %d is below --rank %d: there are as many landmarks as columns of U, or more", c.landmarks, c.job.rank))
	refuse.Below("core", c.core, 1)
	refuse.If(tolerance, "landmarks core", "goes with --rank: with --tol landmarks are added until the error is reached")
	refuse.Outside("tol", c.tolerance, 1, "0.01")
	refuse.If(two, "tol", "is for the symmetric matrix of one source: name a --rank with --right")
	refuse.When(!matrix && c.job.given("refine"), "--refine goes with --matrix: for exact passes over a kernel matrix take subspace, or auto")
	refuse.When(c.job.given("coordinates") && !writesFactors(c.job), "--coordinates is the scale of the columns of a file: name one with --factors, or give it to transform")
	refuse.If(two, "clusters novelty", "is for the rows of one source: leave it out with --right")
	refuse.If(c.clusters == "", "clusters-output", "goes with --clusters")
	refuse.When(c.job.given("norm") && c.job.given("rank") && !tolerance, "--norm is for --tol: a fit of a --rank tells its error in both norms")
	refuse.When(two && c.info.name == "landmark" && c.rule != lowrank.RuleAuto && c.rule != lowrank.RuleUniform, "--rule is for the symmetric matrix of one source: with --right landmarks are uniform")
	refuse.If(square, "tol", "is for symmetric kernels, and "+c.job.kernelText+" is not: name a --rank")
	refuse.If(square, "clusters novelty shift", "is for symmetric kernels, and "+c.job.kernelText+" is not: leave it out")
	refuse.When(square && c.job.given("rule") && c.rule != lowrank.RuleAuto && c.rule != lowrank.RuleUniform, "--rule is for symmetric kernels: landmarks of others are uniform")
	refuse.When(square && c.job.given("factors"), "of a kernel that is not symmetric there are two factors: name --left-factors, --right-factors or both")
	refuse.If(!c.normalised(), "sums", "is for kernels that are divided by their row sums: sne, softmax and t; leave it out")
	refuse.When(two && c.job.given("factors"), "with --right there are two factors: name --left-factors, --right-factors or both")
	refuse.If(two, "shift", "is for the symmetric matrix of one source: leave it out with --right")
	refuse.When(c.symmetric() && c.job.set.First("left-factors", "right-factors") != "", "the matrix is symmetric and has one factor: name --factors")
}

// leverageRows returns the number of rows that join the core: of the library 0 is the default, and −1 none.
func (c *lowrankTask) leverageRows() int {
	if c.job.given("leverage-rows") && c.leverage == 0 {
		return -1
	}
	return c.leverage
}

// symmetric reports whether A is approximated by one factor.
func (c *lowrankTask) symmetric() bool {
	return c.info.symmetric && len(c.job.rightFiles) == 0 && !(c.info.twoSided && c.asymmetric())
}

// asymmetric reports whether --kernel is known and not symmetric.
func (c *lowrankTask) asymmetric() bool {
	k, err := kernelgen.Parse(c.job.kernelText)
	return err == nil && !k.Symmetric()
}

// normalised reports whether --kernel is known and divided by its row sums.
func (c *lowrankTask) normalised() bool {
	k, err := kernelgen.Parse(c.job.kernelText)
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
	} else if c.job.kernel, err = kernelgen.Parse(c.job.kernelText); err != nil {
		return err
	} else if err := c.checkKernel(); err != nil {
		return err
	}
	c.solver, err = c.info.solver(c)
	if err != nil || c.clusters == "" && !c.novelty {
		return err
	}
	s := lowrank.Sampled{Method: c.solver, Novelty: c.novelty, Seed: c.job.app.seed}
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
	if !c.job.kernel.Symmetric() && c.symmetric() {
		return fmt.Errorf("kernel %s is not symmetric, and the matrix of one source is not either: use landmark, ssrsvd, or auto", c.job.kernel)
	}
	plain, _ := c.job.kernel.Normaliser()
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
		return fmt.Sprintf("%s model of %s of a %s × %s matrix", c.job.method, c.mapping, report.Count(s.Rows), report.Count(s.Cols))
	}
	return fmt.Sprintf("%s model of the %s × %s kernel matrix %s", c.job.method, report.Count(s.Rows), report.Count(s.Cols), c.job.kernel)
}

// plan counts the passes for factors too, of which one makes them orthonormal.
func (c *lowrankTask) plan(e stream.Engine) (*model.Plan, error) {
	s := c.job.shape()
	p, err := c.solver.Plan(e, s, c.job.kernel)
	if err == nil && writesFactors(c.job) {
		p.Map("blocks of factors", s.Columns, c.job.rank)
		if p.ExactPasses > 0 { // the model holds all rows
			p.Add("tiles of factors", int64(e.Workers())*stream.PanelRows*max(s.Rows, s.Cols), "`threads`")
		}
		p.SourcePasses++ // for orthonormal factors
		if c.explicit() {
			p.SourcePasses++
		} else {
			p.SourcePasses += writingPasses(c.job)
		}
		p.KernelEntries *= 3
	}
	if err == nil && writes(c.job, model.Class) {
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
	d := c.job.sides.prepared.sources()
	f, err := c.solver.Fit(ctx, e, d, c.job.kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.job.kernel = f, f.Kernel
	if c.job.states.folder != "" {
		e.Run = nil // shards do not make factors
	}
	if writesFactors(c.job) && !c.job.states.stops() && f.OrthogonalityBound() > orthonormal {
		err = f.Refine(ctx, e, d)
	}
	return f.Model, &f.Report, err
}

func (c *lowrankTask) rowsData() rowsData {
	d := c.job.rowsData()
	d.Sources = 1
	if c.job.sides.right != nil {
		d.Sources = 2
	}
	return d
}

// write writes the factors; of a matrix that was read V is in the model.
func (c *lowrankTask) write(ctx context.Context, m model.Model) ([]pathWriter, error) {
	right := factorPath(c.job, "right-factors")
	if !c.explicit() || right == "" {
		return c.job.write(ctx, m)
	}
	of := *c.job
	of.factors = slices.DeleteFunc(slices.Clone(c.job.factors), func(f *factorFile) bool { return f.side == model.Right })
	writers, err := of.write(ctx, m)
	if err != nil {
		return writers, err
	}
	v := c.fitting.Explicit.V
	v.Data = slices.Clone(v.Data)
	for i := 0; c.job.scale == "scores" && i < v.Rows; i++ {
		for j := range v.Cols {
			v.Data[i*v.Stride+j] *= math.Sqrt(c.fitting.Values[j])
		}
	}
	w, err := writeMatrix(c.job.app, right, numbered("v", v.Cols), v, c.job.sides.left.Info().Columns)
	if w != nil {
		writers = append(writers, pathWriter{w, right})
	}
	return writers, err
}
