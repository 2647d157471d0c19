package lowrank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// task is a fit of a low-rank model.
type task struct {
	job    *fit.Job
	method *method

	mapText     string
	matrix      []string // files of an explicit matrix
	sketch, nnz int      // of s3spsd and ssrsvd
	leverage    int      // rows added to their core, if set
	landmarks   int
	core        int          // core points of landmark
	rule        lowrank.Rule // of landmark and nystrom
	shift       lowrank.ShiftRule
	passes      int // exact passes, of subspace
	refine      int // further passes over a matrix on disk
	tolerance   float64
	norm        lowrank.Norm // of the tolerance
	clusters    string       // a number, or auto
	novelty     bool
	sums        lowrank.Sums // of a normalised kernel

	mapping kernelgen.ElementMap
	solver  lowrank.Method
	fitting *lowrank.Fit
	groups  *chart.Groups // clusters of the rows in charts
}

// explicit reports whether the matrix itself is read.
func (c *task) explicit() bool { return len(c.matrix) > 0 }

func (c *task) refuses(refuse *flags.Refusals, args []string) {
	two, matrix, tolerance := c.job.Given("right"), c.job.Given("matrix"), c.job.Given("tol")
	square := c.asymmetric() && c.method.symmetric && c.method.twoSided && !two
	alternative := ""
	if c.method.tolerance {
		alternative = "; or which error is small enough, such as --tol 0.01"
	}
	refuse.When(len(args) == 0 && !matrix, rows.NoData)
	refuse.When(matrix && len(args)+len(c.job.RightFiles) > 0, "--matrix names the matrix itself: leave out DATA and --right, or leave out --matrix")
	refuse.If(matrix, "nnz leverage-rows", "is for kernels: a --matrix is sketched by all its columns; leave it out")
	refuse.When(matrix && c.job.Given("kernel"), "--matrix goes with --map, not with --kernel")
	refuse.If(!matrix, "map", "goes with --matrix; for rows of DATA name a --kernel")
	refuse.Missing(!matrix, "kernel", ", such as --kernel 'rbf(gamma=median)'")
	refuse.When(slices.Contains(args, "-") && slices.Contains(c.job.RightFiles, "-"), rows.OneStandardInput)
	refuse.Missing(!tolerance && c.method.name != "auto", "rank", ": how many columns U shall have, such as --rank 50"+alternative)
	refuse.Below("rank", c.job.Rank, 1)
	refuse.Below("landmarks", c.landmarks, 1)
	refuse.Below("leverage-rows", c.leverage, 0)
	refuse.When(c.job.Given("landmarks") && c.landmarks < c.job.Rank, fmt.Sprintf("--landmarks %d is below --rank %d: there are as many landmarks as columns of U, or more", c.landmarks, c.job.Rank))
	refuse.Below("core", c.core, 1)
	refuse.If(tolerance, "landmarks core", "goes with --rank: with --tol landmarks are added until the error is reached")
	refuse.Outside("tol", c.tolerance, 1, "0.01")
	refuse.If(two, "tol", "is for the symmetric matrix of one source: name a --rank with --right")
	refuse.When(!matrix && c.job.Given("refine"), "--refine goes with --matrix: for exact passes over a kernel matrix take subspace, or auto")
	refuse.When(c.job.Given("coordinates") && !fit.WritesFactors(c.job), "--coordinates is the scale of the columns of a file: name one with --factors, or give it to transform")
	refuse.If(two, "clusters novelty", "is for the rows of one source: leave it out with --right")
	refuse.If(c.clusters == "", "clusters-output", "goes with --clusters")
	refuse.When(c.job.Given("norm") && c.job.Given("rank") && !tolerance, "--norm is for --tol: a fit of a --rank tells its error in both norms")
	refuse.When(two && c.method.name == "landmark" && c.rule != lowrank.RuleAuto && c.rule != lowrank.RuleUniform, "--rule is for the symmetric matrix of one source: with --right landmarks are uniform")
	refuse.If(square, "tol", "is for symmetric kernels, and "+c.job.KernelText+" is not: name a --rank")
	refuse.If(square, "clusters novelty shift", "is for symmetric kernels, and "+c.job.KernelText+" is not: leave it out")
	refuse.When(square && c.job.Given("rule") && c.rule != lowrank.RuleAuto && c.rule != lowrank.RuleUniform, "--rule is for symmetric kernels: landmarks of others are uniform")
	refuse.When(square && c.job.Given("factors"), "of a kernel that is not symmetric there are two factors: name --left-factors, --right-factors or both")
	refuse.If(!c.normalised(), "sums", "is for kernels that are divided by their row sums: sne, softmax and t; leave it out")
	refuse.When(two && c.job.Given("factors"), "with --right there are two factors: name --left-factors, --right-factors or both")
	refuse.If(two, "shift", "is for the symmetric matrix of one source: leave it out with --right")
	refuse.When(c.symmetric() && c.job.Set.First("left-factors", "right-factors") != "", "the matrix is symmetric and has one factor: name --factors")
}

// leverageRows returns the number of rows added to the core, in the library's convention: 0 for the default and −1 for
// none.
func (c *task) leverageRows() int {
	if c.job.Given("leverage-rows") && c.leverage == 0 {
		return -1
	}
	return c.leverage
}

// symmetric reports whether A is approximated by one factor.
func (c *task) symmetric() bool {
	return c.method.symmetric && len(c.job.RightFiles) == 0 && !(c.method.twoSided && c.asymmetric())
}

// asymmetric reports whether --kernel is known to be asymmetric.
func (c *task) asymmetric() bool {
	k, err := kernelgen.Parse(c.job.KernelText)
	return err == nil && !k.Symmetric()
}

// normalised reports whether --kernel is known to be normalised by its row sums.
func (c *task) normalised() bool {
	k, err := kernelgen.Parse(c.job.KernelText)
	if err != nil {
		return false
	}
	_, normalised := k.Normaliser()
	return normalised
}

func (c *task) inputs() []string { return c.matrix }

func (c *task) parse() (err error) {
	if c.explicit() {
		if c.mapText == "" {
			c.mapText = "identity"
		}
		if c.mapping, err = kernelgen.ParseElementMap(c.mapText); err != nil {
			return err
		}
	} else if c.job.Kernel, err = kernelgen.Parse(c.job.KernelText); err != nil {
		return err
	} else if err := c.checkKernel(); err != nil {
		return err
	}
	c.solver, err = c.method.solver(c)
	if err != nil || c.clusters == "" && !c.novelty {
		return err
	}
	s := lowrank.Sampled{Method: c.solver, Novelty: c.novelty, Seed: c.job.App.Seed}
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

// checkKernel refuses kernels that are meaningless for the method.
func (c *task) checkKernel() error {
	if !c.job.Kernel.Symmetric() && c.symmetric() {
		return fmt.Errorf("kernel %s is not symmetric, and the matrix of one source is not either: use landmark, ssrsvd, or auto", c.job.Kernel)
	}
	plain, _ := c.job.Kernel.Normaliser()
	return plain.CheckPlain()
}

func (c *task) open(ctx context.Context, args []string) error {
	if c.explicit() {
		args = c.matrix
	}
	return c.job.Open(ctx, args)
}

func (c *task) names() []string {
	if c.explicit() {
		return []string{"matrix"}
	}
	return c.job.Names()
}

func (c *task) size() model.Size {
	s := c.job.Size()
	if c.explicit() {
		s.Cols = int64(s.Columns)
	}
	return s
}

func (c *task) title() string {
	s := c.size()
	if s.OneSource() {
		s.Cols = s.Rows
	}
	if c.explicit() {
		return fmt.Sprintf("%s model of %s of a %s × %s matrix", c.job.Method, c.mapping, report.Count(s.Rows), report.Count(s.Cols))
	}
	return fmt.Sprintf("%s model of the %s × %s kernel matrix %s", c.job.Method, report.Count(s.Rows), report.Count(s.Cols), report.Rounded(c.job.Kernel.String()))
}

// plan returns the cost of the fit, including the passes for factors. One of these makes them orthonormal.
func (c *task) plan(e stream.Engine) (*model.Plan, error) {
	s := c.job.Size()
	p, err := c.solver.Plan(e, s, c.job.Kernel)
	if err == nil && fit.WritesFactors(c.job) {
		p.Map("blocks of factors", s.Columns, c.job.Rank)
		if p.ExactPasses > 0 { // the model holds all rows
			p.Add("tiles of factors", int64(e.Workers())*tilesize.PanelRows*max(s.Rows, s.Cols), "`threads`")
		}
		p.SourcePasses++ // for orthonormal factors
		if c.explicit() {
			p.SourcePasses++
		} else {
			p.SourcePasses += fit.WritingPasses(c.job)
		}
		p.KernelEntries *= 3
	}
	if err == nil && fit.Writes(c.job, model.Class) {
		p.Map("blocks of clusters", s.Columns, 1)
		p.SourcePasses++
	}
	return p, err
}

// orthogonalityTol is the largest max|UᵀU−I| of factors that are written directly. Above it, one more pass makes them
// orthonormal up to rounding.
const orthogonalityTol = 1e-10

// fit fits the model, and orthonormalises the factors if requested and necessary.
func (c *task) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	d := c.job.Sides.Prepared.Sources()
	f, err := c.solver.Fit(ctx, e, d, c.job.Kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting, c.job.Kernel = f, f.Kernel
	if c.job.States.Folder != "" {
		e.Run = nil // shards do not make factors
	}
	if fit.WritesFactors(c.job) && !c.job.States.Stops() && f.OrthogonalityBound() > orthogonalityTol {
		err = f.Refine(ctx, e, d)
	}
	return f.Model, &f.Report, err
}

func (c *task) rowsData() saved.Data {
	d := c.job.RowsData()
	d.Sources = 1
	if c.job.Sides.Right != nil {
		d.Sources = 2
	}
	return d
}

// write writes the factors. For an explicit matrix, V is in the model.
func (c *task) write(ctx context.Context, m model.Model) ([]rows.PathWriter, error) {
	right := fit.FactorPath(c.job, "right-factors")
	if !c.explicit() || right == "" {
		return c.job.Write(ctx, m)
	}
	of := *c.job
	of.Factors = slices.DeleteFunc(slices.Clone(c.job.Factors), func(f *fit.FactorFile) bool { return f.Side == model.Right })
	writers, err := of.Write(ctx, m)
	if err != nil {
		return writers, err
	}
	v := c.fitting.Explicit.V
	v.Data = slices.Clone(v.Data)
	for i := 0; c.job.Scale == "scores" && i < v.Rows; i++ {
		for j := range v.Cols {
			v.Data[i*v.Stride+j] *= math.Sqrt(c.fitting.Values[j])
		}
	}
	w, err := rows.WriteMatrix(c.job.App, right, rows.Numbered("v", v.Cols), v, c.job.Sides.Left.Info().Columns)
	if w != nil {
		writers = append(writers, rows.PathWriter{Output: w, Path: right})
	}
	return writers, err
}
