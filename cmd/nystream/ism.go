package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ismFamily are subspaces of the columns.
var ismFamily = &family{
	name:       ism.Name,
	methods:    []string{ism.Name},
	fitters:    []fitter{{ism.Name, "DATA... --label COLUMN", newISMTask}},
	load:       loader(ism.Load),
	inspect:    inspectISM,
	unverified: ": they approximate no matrix; fit ism reports its objective and the residual of its gradient",
}

// ismTask is a fit of ism.
type ismTask struct {
	*job
	how                          ism.Solver // but for its dimensions, which are the rank, and the seed
	target, targetKernel, scores string
	givenLabel                   string

	targets kernelgen.Kernel // between targets
	asides  asides
	known   *ism.Response // nil for unsupervised
	labels  []int         // of --label, nil if there is none of one column
	classes []string      // their names
	kind    string        // of the classes
	fitting *ism.Fit
	nmi     float64 // between clusters and labels
	seen    float64 // accuracy on the rows of the fit
}

func newISMTask(j *job, cmd *cobra.Command) task {
	c := &ismTask{job: j}
	f := cmd.Flags()
	f.StringVar(&j.kernelText, "kernel", "gaussian(sigma=median)", "`kernel` between rows of XW, of those above")
	j.addCompletion(cmd, completeKernels, "kernel")
	f.IntVar(&j.rank, "dim", 0, "`number` of columns of W; that of the classes or clusters if not given")
	addChoice(cmd, &c.how.Engine, "engine", "method for sums over pairs of rows", []ism.Engine{ism.EngineAuto, ism.EngineExact, ism.EngineLinear})
	f.Float64Var(&c.how.ChangeTol, "tol", 0.01, "relative `change` of eigenvalues, and angle, that ends the iteration")
	f.IntVar(&c.how.Iterations, "iterations", 50, "most `number` of W to try for one set of clusters")
	f.IntVar(&c.how.Landmarks, "landmarks", 300, "most `number` of landmarks of --engine linear")
	j.addClusters(cmd, "write the cluster of each row")
	addChoice(cmd, &c.how.Paradigm, "paradigm", "kind of supervision", []ism.Paradigm{ism.Supervised, ism.Unsupervised, ism.SemiSupervised, ism.Alternative})
	j.addLabelAside(cmd, "`column` or file of the classes of the rows; several columns of 0 and 1, with commas, for rows of several classes")
	j.addAside(cmd, &c.target, "target", "`columns` or file of numbers to predict, instead of --label", model.Left)
	f.StringVar(&c.targetKernel, "target-kernel", "rbf(gamma=median)", "`kernel` between --target of two rows; nystream help kernels lists them")
	j.addAside(cmd, &c.scores, "scores", "`columns` or file of scores, for --paradigm semisupervised", model.Left)
	j.addAside(cmd, &c.givenLabel, "given-label", "`column` or file of classes to differ from, for --paradigm alternative", model.Left)
	f.Float64Var(&c.how.Mu, "mu", 1, "`weight` of --scores or --given-label; 1 is that of clusters")
	f.IntVar(&c.how.Clusters, "clusters", 0, "`number` of clusters; that of the classes of --label if not given")
	j.addCompletion(cmd, completeKernels, "target-kernel")
	// The paper's data is centred and scaled, and its distances mean little if not.
	setDefault(cmd, "scale", "standard")
	return c
}

func (c *ismTask) refuses(args []string) []contradiction {
	p, label, target := c.how.Paradigm, c.given("label"), c.given("target")
	clustering, weighed := p != ism.Supervised, p == ism.SemiSupervised || p == ism.Alternative
	return []contradiction{
		{len(args) == 0, noData},
		c.without(!c.writes(model.Class), "goes with --clusters-output", "keep"),
		c.needs(!clustering && !target, "label", ": the column of the classes, such as --label class; or --target for real numbers; or another --paradigm"),
		{label && target, "--label and --target: W is made for one of them; leave the other out"},
		c.without(clustering, "is for --paradigm supervised", "target"),
		c.without(p != ism.SemiSupervised, "is for --paradigm semisupervised", "scores"),
		c.needs(p == ism.SemiSupervised, "scores", ": columns or a file of numbers, such as --scores s.npy"),
		c.without(p != ism.Alternative, "is for --paradigm alternative", "given-label"),
		c.needs(p == ism.Alternative, "given-label", ": the column of the classes to differ from"),
		c.without(!weighed, "is for --paradigm semisupervised and alternative", "mu"),
		{!(c.how.Mu > 0 && c.how.Mu <= math.MaxFloat64), "--mu must be above 0, such as 1"},
		c.without(!clustering, "is for the paradigms that look for clusters: unsupervised, semisupervised, alternative", "clusters", "clusters-output"),
		c.needs(clustering && !label, "clusters", ": how many there are, such as --clusters 3"),
		c.least("clusters", c.how.Clusters, 2),
		c.without(!target, "goes with --target", "target-kernel"),
		c.needs(target, "dim", ": how many columns W shall have, such as --dim 2"),
		c.least("dim", c.rank, 1),
		c.within("tol", c.how.ChangeTol, 1, "0.01"),
		c.least("iterations", c.how.Iterations, 1),
		c.least("landmarks", c.how.Landmarks, 1),
		c.without(c.how.Engine == ism.EngineExact, "is for --engine linear", "landmarks"),
	}
}

func (c *ismTask) parse() (err error) {
	if c.kernel, err = kernelgen.Parse(c.kernelText); err != nil {
		return err
	}
	if c.targets, err = kernelgen.Parse(c.targetKernel); err == nil {
		err = c.targets.CheckPlain()
	}
	if err != nil {
		return fmt.Errorf("--target-kernel: %w", err)
	}
	return nil
}

// open opens the data, and reads what is known of the rows.
func (c *ismTask) open(ctx context.Context, args []string) error {
	if err := c.asides.open(ctx, c.job, args); err != nil {
		return err
	}
	return c.chooseTask(ctx, c.left)
}

// chooseTask reads what is known of the rows of src, makes it a response, and sets the dimension and
// the number of clusters where no flag does.
func (c *ismTask) chooseTask(ctx context.Context, src stream.Source) (err error) {
	if err := c.asides.readAll(ctx, c.job, src); err != nil {
		return err
	}
	if v := c.asides.read["--label"]; v != nil && (len(v.values) == 1 || c.how.Paradigm != ism.Supervised) {
		if c.labels, c.classes, err = v.classes("for numbers that are measured use --target"); err != nil {
			return err
		}
		c.kind = classKind(c.classes, v.values[0].Kind, v.told)
	}
	if c.known, err = c.response(ctx); err != nil {
		return err
	}
	if c.how.Clusters == 0 && c.how.Paradigm != ism.Supervised {
		c.how.Clusters = len(c.classes)
	}
	if !c.given("dim") {
		c.rank = c.how.Clusters
		if c.known != nil && c.how.Paradigm == ism.Supervised {
			c.rank = c.known.Columns()
		}
		c.rank = min(c.rank, len(c.left.Info().Columns))
	}
	if d := len(c.left.Info().Columns); c.rank > d {
		return usagef("--dim %d: %s gives %d columns, and W has no more", c.rank, c.left.Info().Name, d)
	}
	return nil
}

// targetRank is how many features the kernel between targets has at most.
const targetRank = 50

// response returns what Γ is made of; nil for unsupervised.
func (c *ismTask) response(ctx context.Context) (*ism.Response, error) {
	switch v := c.asides.read; {
	case v["--target"] != nil:
		y, err := v["--target"].numbers()
		if err != nil {
			return nil, err
		}
		return ism.KernelTargets(ctx, c.engine(), y, c.targets, min(targetRank, y.Rows), c.seed)
	case v["--scores"] != nil:
		y, err := v["--scores"].numbers()
		if err != nil {
			return nil, err
		}
		return ism.Factors(y)
	case v["--given-label"] != nil:
		labels, names, err := v["--given-label"].classes("")
		if err != nil {
			return nil, err
		}
		return ism.Classes(labels, len(names))
	case c.how.Paradigm == ism.Unsupervised:
		return nil, nil
	case c.labels != nil:
		return ism.Classes(c.labels, len(c.classes))
	}
	y, err := c.asides.read["--label"].numbers()
	if err != nil {
		return nil, err
	}
	return ism.Factors(y)
}

// solver returns what the flags say.
func (c *ismTask) solver() ism.Solver {
	s := c.how
	s.Dim, s.Seed = c.rank, c.seed
	if s.Paradigm != ism.SemiSupervised && s.Paradigm != ism.Alternative {
		s.Mu = 0
	}
	return s
}

// problem returns what is fitted.
func (c *ismTask) problem(rows stream.Source) *ism.Data { return &ism.Data{Rows: rows, Known: c.known} }

func (c *ismTask) title() string {
	s := c.shape()
	return fmt.Sprintf("ism model of %s rows, %d of %d dimensions, %v", report.Count(s.Rows), c.rank, s.Columns, c.how.Paradigm)
}

// plan works out what the fit will cost, with what is known of the rows.
func (c *ismTask) plan(e stream.Engine) (*model.Plan, error) {
	s := c.problem(c.left).Shape()
	s.Rows = c.shape().Rows
	p, err := c.solver().Plan(e, s, c.kernel)
	if err != nil {
		return nil, err
	}
	c.dropChoice(&p.Choice)
	if read := int64(len(c.labels)) + c.asides.numbers(); read > 0 {
		p.Add("labels as they are read", read, "")
	}
	if c.choosesClasses() {
		p.SourcePasses += 2 // to learn the classes, and to score
		p.Add("classes that are chosen", s.Rows, "")
	}
	return p, nil
}

// prepare treats nulls and scales columns. If rows were dropped, it reads labels, targets and
// scores again.
func (c *ismTask) prepare(ctx context.Context) error {
	if err := c.job.prepare(ctx); err != nil {
		return err
	}
	if c.prepared.dropped() > 0 {
		if err := c.chooseTask(ctx, c.prepared.left); err != nil {
			return err
		}
	}
	c.asides.read = nil
	return nil
}

func (c *ismTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver().Fit(ctx, e, c.problem(c.prepared.left), c.kernel)
	if err != nil {
		return nil, nil, err
	}
	c.fitting = f
	if err := c.learnClasses(ctx, e); err != nil {
		return nil, nil, err
	}
	if c.labels != nil && f.Labels != nil {
		if c.nmi, err = metrics.NMI(c.labels, f.Labels); err != nil {
			return nil, nil, err
		}
	}
	c.kernel = f.Kernel
	c.dropChoice(&f.Choice)
	return f.Model, &f.Report, nil
}

// choosesClasses reports whether the model learns to choose the classes of --label.
func (c *ismTask) choosesClasses() bool {
	return c.labels != nil && c.how.Paradigm == ism.Supervised
}

// learnClasses makes the model choose classes, and compares those of the rows of the fit with
// their labels.
func (c *ismTask) learnClasses(ctx context.Context, e stream.Engine) error {
	if !c.choosesClasses() {
		return nil
	}
	e.Run = nil // W is found: states are of no use to what follows
	rows := c.prepared.left
	if err := c.fitting.LearnClasses(ctx, e, rows, c.labels, len(c.classes)); err != nil {
		return err
	}
	chosen, err := c.fitting.Predict(ctx, e, rows)
	if err != nil {
		return err
	}
	c.seen, err = metrics.Accuracy(c.labels, chosen)
	return err
}

func (c *ismTask) rowsData() rowsData {
	d := c.job.rowsData()
	d.Known, d.Classes, d.ClassKind = c.knownWords(), c.classes, c.kind
	return d
}

// knownWords returns the flag and the columns, or the file, of what was known.
func (c *ismTask) knownWords() string {
	if c.how.Paradigm == ism.Supervised {
		return c.asides.words()
	}
	return c.asides.words("--scores", "--given-label")
}

// write writes the clusters, uncommitted.
func (c *ismTask) write(ctx context.Context, _ model.Model) ([]pathWriter, error) {
	return c.writeClusters(ctx, c.fitting.Labels)
}

// dropChoice clears the engine that was chosen if it was asked for.
func (c *ismTask) dropChoice(chosen *model.Choice) {
	if c.how.Engine != ism.EngineAuto {
		*chosen = model.Choice{}
	}
}
