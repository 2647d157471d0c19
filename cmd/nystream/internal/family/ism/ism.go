package ism

import (
	"context"
	"fmt"
	"math"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Family is the family of interpretable projections.
var Family = &fit.Family{
	Family: saved.Family{
		Name:           ism.Name,
		Methods:        []string{ism.Name},
		Load:           saved.Loader(ism.Load),
		Inspect:        inspectISM,
		WhyNotVerified: ": they approximate no matrix; fit ism reports its objective and the residual of its gradient",
	},
	Verbs: []fit.Verb{{Name: ism.Name, Args: "DATA... (--label COLUMN | --target COLUMNS | --clusters N)", New: newTask}},
}

// task is a fit of ism.
type task struct {
	job                          *fit.Job
	settings                     ism.Solver // without its dimension, which is the rank, and its seed
	target, targetKernel, scores string
	givenLabel                   string

	targets       kernelgen.Kernel // between targets
	annotations   fit.Annotations
	supervision   *ism.Response // nil for unsupervised
	labels        []int         // of a single --label column; else nil
	classes       []string      // names of the labels
	kind          string        // of the classes
	fitting       *ism.Fit
	nmi           float64 // between clusters and labels
	trainAccuracy float64 // accuracy on the rows of the fit
}

func newTask(j *fit.Job) *fit.Task {
	c := &task{job: j}
	j.AddKernel("kernel between rows of XW", "gaussian(sigma=median)")
	j.Set.Flag("kernel").Default("gaussian(sigma=median)")
	j.AddLabelAnnotation("classes of the rows, in a column or file", "several columns of 0 and 1, with commas, for rows of several classes")
	j.AddAnnotation(flags.Flag{Name: "target", Field: "Targets", Arg: "columns", Usage: "numbers to predict, instead of --label", Doc: "in columns or a file"}, &c.target, model.Left)
	j.Set.Add(
		flags.Flag{Name: "dim", Arg: "number", Usage: "columns of W", Doc: "that of the classes or clusters if not given", First: true, Value: flags.Int(&j.Rank, 0)},
		flags.Flag{Name: "paradigm", Arg: "word", Usage: "kind of supervision",
			Value: flags.Choice(&c.settings.Paradigm, []ism.Paradigm{ism.Supervised, ism.Unsupervised, ism.SemiSupervised, ism.Alternative})},
		flags.Flag{Name: "engine", Field: "Algorithm", Arg: "word", Usage: "method for sums over pairs of rows", Value: flags.Choice(&c.settings.Algorithm, []ism.Algorithm{ism.AlgorithmAuto, ism.AlgorithmExact, ism.AlgorithmLinear})},
		flags.Flag{Name: "tol", Arg: "change", Usage: "tolerance of the iteration, on eigenvalues and angles", Value: flags.Float(&c.settings.ChangeTol, 0.01)},
		flags.Flag{Name: "iterations", Arg: "number", Usage: "most iterations for one set of clusters", Value: flags.Int(&c.settings.Iterations, 50)},
		flags.Flag{Name: "landmarks", Arg: "number", Usage: "most landmarks of --engine linear", Value: flags.Int(&c.settings.Landmarks, 300)},
		flags.Flag{Name: "target-kernel", Arg: "kernel", Usage: "kernel between the targets of two rows", Doc: "nystream help kernels lists them", Needs: "target",
			Value: flags.String(&c.targetKernel, "rbf(gamma=median)"), Complete: flags.Kernels},
		flags.Flag{Name: "mu", Arg: "weight", Usage: "weight of --scores or --given-label", Doc: "1 is that of clusters", Value: flags.Float(&c.settings.Mu, 1)},
		flags.Flag{Name: "clusters", Arg: "number", Usage: "clusters; as many as classes if not given", Value: flags.Int(&c.settings.Clusters, 0)},
	)
	j.AddAnnotation(flags.Flag{Name: "scores", Arg: "columns", Usage: "scores, for --paradigm semisupervised", Doc: "in columns or a file"}, &c.scores, model.Left)
	j.AddAnnotation(flags.Flag{Name: "given-label", Arg: "column", Usage: "classes to differ from, for --paradigm alternative", Doc: "in a column or file"}, &c.givenLabel, model.Left)
	j.AddClusters("write the cluster of each row")
	// The paper's data is centred and scaled; otherwise distances are dominated by a few columns.
	j.Set.Flag("scale").Default("standard")
	return &fit.Task{Refuses: c.refuses, Parse: c.parse, Open: c.open, Title: c.title, Plan: c.plan, Prepare: c.prepare, Fit: c.fit,
		RowsData: c.rowsData, Write: c.write, Charts: c.charts, Marks: c.marks, Planned: c.planned, Fitted: c.fitted}
}

func (c *task) refuses(refuse *flags.Refusals, args []string) {
	p, label, target := c.settings.Paradigm, c.job.Given("label"), c.job.Given("target")
	clustering, weighed := p != ism.Supervised, p == ism.SemiSupervised || p == ism.Alternative
	refuse.When(len(args) == 0, rows.NoData)
	refuse.If(!fit.Writes(c.job, model.Class), "keep", "goes with --clusters-output")
	refuse.Missing(!clustering && !target, "label", ": the column of the classes, such as --label class; or --target for real numbers; or another --paradigm")
	refuse.When(label && target, "--label and --target: W is made for one of them; leave the other out")
	refuse.If(clustering, "target", "is for --paradigm supervised")
	refuse.If(p != ism.SemiSupervised, "scores", "is for --paradigm semisupervised")
	refuse.Missing(p == ism.SemiSupervised, "scores", ": columns or a file of numbers, such as --scores s.npy")
	refuse.If(p != ism.Alternative, "given-label", "is for --paradigm alternative")
	refuse.Missing(p == ism.Alternative, "given-label", ": the column of the classes to differ from")
	refuse.If(!weighed, "mu", "is for --paradigm semisupervised and alternative")
	refuse.When(!(c.settings.Mu > 0 && c.settings.Mu <= math.MaxFloat64), "--mu must be above 0, such as 1")
	refuse.If(!clustering, "clusters clusters-output", "is for the paradigms that look for clusters: unsupervised, semisupervised, alternative")
	refuse.Missing(clustering && !label, "clusters", ": how many there are, such as --clusters 3")
	refuse.Below("clusters", c.settings.Clusters, 2)
	refuse.Missing(target, "dim", ": how many columns W shall have, such as --dim 2")
	refuse.Below("dim", c.job.Rank, 1)
	refuse.Outside("tol", c.settings.ChangeTol, 1, "0.01")
	refuse.Below("iterations", c.settings.Iterations, 1)
	refuse.Below("landmarks", c.settings.Landmarks, 1)
	refuse.If(c.settings.Algorithm == ism.AlgorithmExact, "landmarks", "is for --engine linear")
}

func (c *task) parse() (err error) {
	if c.settings.Algorithm == ism.AlgorithmAuto && c.job.Given("landmarks") {
		c.settings.Algorithm = ism.AlgorithmLinear
	}
	if c.job.Kernel, err = kernelgen.Parse(c.job.KernelText); err != nil {
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

// open opens the data, and reads labels, targets or scores of the rows.
func (c *task) open(ctx context.Context, args []string) error {
	if err := c.annotations.Open(ctx, c.job, args); err != nil {
		return err
	}
	return c.chooseTask(ctx, c.job.Sides.Left)
}

// chooseTask reads labels, targets or scores of the rows of src and makes a response. It sets the dimension and the
// number of clusters unless flags do.
func (c *task) chooseTask(ctx context.Context, src stream.Source) (err error) {
	if err := c.annotations.ReadAll(ctx, c.job, src); err != nil {
		return err
	}
	if v := c.annotations.Read["--label"]; v != nil && (len(v.Values) == 1 || c.settings.Paradigm != ism.Supervised) {
		if c.labels, c.classes, err = v.Classes("for numbers that are measured use --target"); err != nil {
			return err
		}
		c.kind = rows.ClassKind(c.classes, v.Values[0].Kind, v.DeclaredKind)
	}
	if c.supervision, err = c.response(ctx); err != nil {
		return err
	}
	if c.settings.Clusters == 0 && c.settings.Paradigm != ism.Supervised {
		c.settings.Clusters = len(c.classes)
	}
	if !c.job.Given("dim") {
		c.job.Rank = c.settings.Clusters
		if c.supervision != nil && c.settings.Paradigm == ism.Supervised {
			c.job.Rank = c.supervision.Columns()
		}
		c.job.Rank = min(c.job.Rank, len(c.job.Sides.Left.Info().Columns))
	}
	if d := len(c.job.Sides.Left.Info().Columns); c.job.Rank > d {
		return flags.Usagef("--dim %d: %s gives %d columns, and W has no more", c.job.Rank, c.job.Sides.Left.Info().Name, d)
	}
	return nil
}

// targetRank limits the features of the kernel between targets.
const targetRank = 50

// response returns the response for Γ; nil for unsupervised.
func (c *task) response(ctx context.Context) (*ism.Response, error) {
	switch v := c.annotations.Read; {
	case v["--target"] != nil:
		y, err := v["--target"].Numbers()
		if err != nil {
			return nil, err
		}
		return ism.KernelTargets(ctx, c.job.App.Engine(), y, c.targets, min(targetRank, y.Rows), c.job.App.Seed)
	case v["--scores"] != nil:
		y, err := v["--scores"].Numbers()
		if err != nil {
			return nil, err
		}
		return ism.Factors(y)
	case v["--given-label"] != nil:
		labels, names, err := v["--given-label"].Classes("")
		if err != nil {
			return nil, err
		}
		return ism.Classes(labels, len(names))
	case c.settings.Paradigm == ism.Unsupervised:
		return nil, nil
	case c.labels != nil:
		return ism.Classes(c.labels, len(c.classes))
	}
	y, err := c.annotations.Read["--label"].Numbers()
	if err != nil {
		return nil, err
	}
	return ism.Factors(y)
}

// solver returns the solver configured by the flags.
func (c *task) solver() ism.Solver {
	s := c.settings
	s.Dim, s.Seed = c.job.Rank, c.job.App.Seed
	if s.Paradigm != ism.SemiSupervised && s.Paradigm != ism.Alternative {
		s.Mu = 0
	}
	return s
}

// problem returns the data of the fit.
func (c *task) problem(rows stream.Source) *ism.Data {
	return &ism.Data{Rows: rows, Response: c.supervision}
}

func (c *task) title() string {
	s := c.job.Size()
	return fmt.Sprintf("ism model of %s rows, %d of %d dimensions, %v", report.Count(s.Rows), c.job.Rank, s.Columns, c.settings.Paradigm)
}

// plan returns the cost of the fit, including the response.
func (c *task) plan(e stream.Engine) (*model.Plan, error) {
	s := c.problem(c.job.Sides.Left).Size()
	s.Rows = c.job.Size().Rows
	p, err := c.solver().Plan(e, s, c.job.Kernel)
	if err != nil {
		return nil, err
	}
	c.dropChoice(&p.Choice)
	if read := int64(len(c.labels)) + c.annotations.Numbers(); read > 0 {
		p.Add("labels as they are read", read, "")
	}
	if c.classifies() {
		p.SourcePasses += 2 // to learn the classes, and to score
		p.Add("classes that are chosen", s.Rows, "")
	}
	return p, nil
}

// prepare handles nulls and scales columns. If rows were dropped, it reads labels, targets and scores again.
func (c *task) prepare(ctx context.Context) error {
	if err := c.job.Prepare(ctx); err != nil {
		return err
	}
	if c.job.Sides.Prepared.Dropped() > 0 {
		if err := c.chooseTask(ctx, c.job.Sides.Prepared.Left); err != nil {
			return err
		}
	}
	c.annotations.Read = nil
	return nil
}

func (c *task) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	f, err := c.solver().Fit(ctx, e, c.problem(c.job.Sides.Prepared.Left), c.job.Kernel)
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
	c.job.Kernel = f.Kernel
	c.dropChoice(&f.Choice)
	return f.Model, &f.Report, nil
}

// classifies reports whether the model learns to classify by --label.
func (c *task) classifies() bool {
	return c.labels != nil && c.settings.Paradigm == ism.Supervised
}

// learnClasses turns the model into a classifier, and compares its classes on the rows of the fit with their labels.
func (c *task) learnClasses(ctx context.Context, e stream.Engine) error {
	if !c.classifies() {
		return nil
	}
	e.Run = nil // W is known, so states are of no further use
	rows := c.job.Sides.Prepared.Left
	if err := c.fitting.LearnClasses(ctx, e, rows, c.labels, len(c.classes)); err != nil {
		return err
	}
	chosen, err := c.fitting.Predict(ctx, e, rows)
	if err != nil {
		return err
	}
	c.trainAccuracy, err = metrics.Accuracy(c.labels, chosen)
	return err
}

func (c *task) rowsData() saved.Data {
	d := c.job.RowsData()
	d.Response, d.Classes, d.ClassKind = c.responseWords(), c.classes, c.kind
	return d
}

// responseWords returns the flag and the columns, or the file, of the response.
func (c *task) responseWords() string {
	if c.settings.Paradigm == ism.Supervised {
		return c.annotations.Words()
	}
	return c.annotations.Words("--scores", "--given-label")
}

// write writes the clusters, uncommitted.
func (c *task) write(ctx context.Context, _ model.Model) ([]rows.PathWriter, error) {
	return fit.WriteClusters(ctx, c.job, c.fitting.Labels)
}

// dropChoice clears the chosen engine if the user requested it.
func (c *task) dropChoice(chosen *model.Choice) {
	if c.settings.Algorithm != ism.AlgorithmAuto {
		*chosen = model.Choice{}
	}
}
