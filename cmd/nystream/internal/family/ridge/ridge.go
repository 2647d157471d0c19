package ridge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// Family is the family of kernel ridge regression and classification.
var Family = &fit.Family{
	Family: saved.Family{
		Name:           ridge.Name,
		Methods:        []string{ridge.Name},
		Load:           saved.Loader(ridge.Load),
		WhyNotVerified: ": they approximate no matrix; nystream predict --label compares classes with the true ones",
	},
	Verbs: []fit.Verb{{Name: ridge.Name, Args: "DATA... (--target COLUMNS | --label COLUMN)", New: newTask}},
}

// ridgeKernels are the default candidates. bench/peers/regression.py kernels compares them, out of fold and with 500
// landmarks, with 13 others on nine tables of 308 to 15,000 rows. The best of them is at most 15 % worse than the best
// of all; rbf(gamma=median) is up to 55 % worse than it.
const ridgeKernels = "laplace(gamma=0.25*median|0.5*median) | matern32(length=2*median) | matern52(length=4*median)"

// alternatives is the value of a flag for kernels. Repeated flags accumulate.
type alternatives struct {
	text  *string
	isSet bool
}

// Set adds kernels. The first call replaces the default.
func (a *alternatives) Set(text string) error {
	if a.isSet {
		text = *a.text + " | " + text
	}
	*a.text, a.isSet = text, true
	return nil
}

func (a *alternatives) String() string { return *a.text }

// Type returns the word for the value in help.
func (a *alternatives) Type() string { return "kernels" }

// task is a fit of ridge.
type task struct {
	job                     *fit.Job
	settings                ridge.Solver // without its seed
	target, weights, foldBy string
	classWeight             flags.Word

	kernels     []kernelgen.Kernel
	annotations fit.Annotations
	data        ridge.Data // without its rows
	files       []keptFile // columns in files beside the rows
	classes     []string
	kind        string // of the classes
	fitting     *ridge.Fit
}

func newTask(j *fit.Job) *fit.Task {
	c := &task{job: j}
	j.KernelText = ridgeKernels
	j.AddLabelAnnotation("classes to predict, in a column or file", "instead of --target")
	j.AddAnnotation(flags.Flag{Name: "target", Field: "Targets", Arg: "columns", Usage: "numbers to predict, in columns or a file", First: true}, &c.target, model.Left)
	j.Set.Add(
		flags.Flag{Name: "kernel", Arg: "kernels", Usage: "kernels to choose from", Doc: "such as 'rbf(gamma=0.1|1)'; repeat it for more; nystream help kernels lists them", First: true,
			Value: &alternatives{text: &j.KernelText}, Complete: flags.Kernels},
		flags.Flag{Name: "landmarks", Arg: "number", Usage: "landmarks, or auto", Doc: "which doubles them while the squared error falls by 5 %", First: true,
			Value: flags.IntOr(&c.settings.Landmarks, 1000, "auto", ridge.AutoLandmarks)},
		flags.Flag{Name: "penalty", Field: "Penalties", Arg: "numbers", Usage: "penalties to choose from", Doc: "five to seven that suit the data if not given", Value: flags.Floats(&c.settings.Penalties)},
		flags.Flag{Name: "folds", Arg: "number", Usage: "number of folds, 1 for a held-out tenth", Doc: "5 up to 3,000 landmarks", Value: flags.Int(&c.settings.Folds, 0)},
	)
	j.AddAnnotation(flags.Flag{Name: "weights", Arg: "column", Usage: "weights of the rows, in a column or file"}, &c.weights, model.Left)
	j.AddAnnotation(flags.Flag{Name: "fold-by", Arg: "column", Usage: "column or file whose equal values stay in one fold"}, &c.foldBy, model.Left)
	j.Set.Add(
		flags.Flag{Name: "class-weight", Field: "Balanced", Arg: "word", Usage: "weights of classes", Value: flags.Choice(&c.classWeight, flags.Words("none", "balanced"), "", "equal weights of classes")},
		flags.Flag{Name: "score-rows", Arg: "number", Usage: "rows that scores are computed on", Doc: "or all, by another pass over them", Value: &scoreRows{&c.settings.ScoreRows}},
		flags.Flag{Name: "std", Usage: "keep what predict --std needs", Doc: "16·landmarks² bytes", Value: flags.Bool(&c.settings.Std, false)},
		flags.Flag{Name: "metric", Arg: "word", Usage: "metric learnt from the data",
			Value: flags.Choice(&c.settings.Metric, []ridge.Metric{ridge.NoMetric, ridge.DiagonalMetric, ridge.FullMetric}, "", "factors of columns", "a matrix")},
	)
	j.Set.Flag("scale").Default("standard")
	return &fit.Task{Refuses: c.refuses, Parse: c.parse, Open: c.open, Title: c.title, Plan: c.plan, Prepare: c.prepare,
		Fit: c.fit, RowsData: c.rowsData, Charts: c.charts, Planned: c.planned, Fitted: c.fitted}
}

func (c *task) refuses(refuse *flags.Refusals, args []string) {
	label, target := c.job.Given("label"), c.job.Given("target")
	refuse.When(len(args) == 0, rows.NoData)
	refuse.When(target && c.classWeight == "balanced", "--class-weight is for classes: leave it out, or give --label for --target")
	refuse.When(target && c.settings.ScoreRows == ridge.AllRows, "--score-rows all is for classes: errors of numbers are those of all rows without it; leave it out")
	refuse.When(label && c.settings.Std, "--std is for numbers: classes have probabilities without it; leave it out")
	refuse.When(label && target, "--label and --target: one of them is predicted; leave the other out")
	refuse.Missing(!label, "target", ": the columns of the numbers to predict, such as --target price; or --label for classes")
	if c.settings.Landmarks != ridge.AutoLandmarks {
		refuse.Below("landmarks", c.settings.Landmarks, 1)
	}
	refuse.Below("folds", c.settings.Folds, 1)
	refuse.When(slices.ContainsFunc(c.settings.Penalties, func(v float64) bool { return !(v > 0 && v <= math.MaxFloat64) }), "--penalty must be above 0, such as 0.1")
}

func (c *task) parse() (err error) {
	c.kernels, err = kernelgen.ParseAll(c.job.KernelText)
	return err
}

// open opens the data, and locates targets, labels, weights and groups.
func (c *task) open(ctx context.Context, args []string) error {
	if err := c.annotations.Open(ctx, c.job, args); err != nil {
		return err
	}
	return c.locateColumns(ctx)
}

// keptFile has columns of a file that are added to the rows as kept columns.
type keptFile struct {
	names  []string
	values *rows.AnnotationValues
}

// withFiles returns the rows with the columns of other files.
func (c *task) withFiles(rows stream.Source) (stream.Source, error) {
	for _, f := range c.files {
		fields := make([]stream.Field, len(f.names))
		for k, name := range f.names {
			fields[k] = stream.Field{Name: name, Carried: true}
		}
		var err error
		if rows, err = stream.Beside(rows, fields, f.values.Values...); err != nil {
			return nil, app.FromData(err)
		}
	}
	return rows, nil
}

// locateColumns locates the columns of targets, labels, weights and groups, and the classes. It reads other files.
func (c *task) locateColumns(ctx context.Context) error {
	c.data, c.files = ridge.Data{}, nil
	for i, a := range c.annotations.List {
		names := a.Columns
		if a.File != "" {
			v, err := c.job.Data.ReadAnnotationFile(ctx, c.job.App, a, c.job.Sides.Left.Info().Rows)
			if err == nil {
				err = v.CheckWhole()
			}
			if err != nil {
				return err
			}
			names, c.annotations.List[i].DeclaredKind = v.Columns, v.DeclaredKind
			if a.Flag != "--target" {
				names = slices.Repeat([]string{a.Text()}, len(v.Columns))
			}
			c.files = append(c.files, keptFile{names, v})
		}
		if a.Flag == "--target" {
			c.data.Targets = names
			continue
		}
		what := map[string]string{"--label": "classes", "--weights": "weights", "--fold-by": "groups"}[a.Flag]
		if len(names) != 1 {
			return flags.Usagef("%s: %d columns; %s are in one", a.Text(), len(names), what)
		}
		switch a.Flag {
		case "--label":
			c.data.Classes = &ridge.Classes{Label: names[0]}
		case "--weights":
			c.data.Weights, c.job.Rows.Weights = names[0], names[0]
		case "--fold-by":
			c.data.FoldBy = names[0]
		}
	}
	return c.findClasses(ctx, c.job.Sides.Left)
}

// findClasses finds the classes of the rows of positive weight. Cost: one pass if labels or weights are in DATA.
func (c *task) findClasses(ctx context.Context, source stream.Source) (err error) {
	if c.data.Classes == nil {
		return nil
	}
	inData := func(a rows.Annotation) bool { return a.File == "" && (a.Flag == "--label" || a.Flag == "--weights") }
	list := c.annotations.List
	a := list[slices.IndexFunc(c.annotations.List, func(a rows.Annotation) bool { return a.Flag == "--label" })]
	label, name := c.data.Classes.Label, source.Info().Name
	if !slices.ContainsFunc(c.annotations.List, inData) && source == stream.Source(c.job.Sides.Left) { // rows need not be read
		name = a.File
		source = stream.FromMatrix(a.File, matrix.New(int(source.Info().Rows), 0))
	}
	d, err := c.problem(source)
	if err == nil {
		c.data.Classes, err = d.FindClasses(ctx, c.job.App.Engine(), label)
	}
	if err != nil {
		return err
	}
	c.classes = c.data.Classes.Names()
	c.kind = rows.ClassKind(c.classes, c.data.Classes.Levels.Kind, a.DeclaredKind)
	total := 0
	for _, n := range c.data.Classes.Counts {
		total += int(n)
	}
	return rows.CheckClasses(name, a, c.classes, total, "for numbers that are measured use --target")
}

// solver returns the solver configured by the flags.
func (c *task) solver() ridge.Solver {
	s := c.settings
	s.Seed, s.Kernels, s.Balanced = c.job.App.Seed, c.kernels[1:], c.classWeight == "balanced"
	if s.Memory = int64(c.job.App.Memory); s.Memory > 0 {
		for _, f := range c.files { // which plan adds
			s.Memory = max(1, s.Memory-8*f.values.Size())
		}
	}
	return s
}

// problem returns the data of the fit.
func (c *task) problem(rows stream.Source) (d ridge.Data, err error) {
	d = c.data
	d.Rows, err = c.withFiles(rows)
	return d, err
}

func (c *task) title() string {
	kind, flag := "regression", "--target"
	if c.annotations.Words(flag) == "" {
		kind, flag = "classifier", "--label"
	}
	of, _ := strings.CutPrefix(c.annotations.Words(flag), flag+" ")
	return fmt.Sprintf("ridge %s of %s: %s rows × %s", kind, of, report.Count(c.job.Size().Rows),
		report.Counted(c.job.Size().Columns, "column", "columns"))
}

func (c *task) plan(e stream.Engine) (*model.Plan, error) {
	d, err := c.problem(c.job.Sides.Left)
	if err != nil {
		return nil, err
	}
	s := d.Size()
	s.Rows = c.job.Size().Rows
	p, err := c.solver().Plan(e, s, c.kernels[0])
	if err != nil {
		return nil, err
	}
	for _, f := range c.files {
		p.Add("values of "+f.values.File, f.values.Size(), "")
	}
	return p, nil
}

// prepare prepares the rows. If rows were dropped, it recomputes the classes of the remaining rows.
func (c *task) prepare(ctx context.Context) (err error) {
	if c.job.Sides.Annotated, err = c.withFiles(c.job.Sides.Left); err != nil {
		return err
	}
	if err := c.job.Prepare(ctx); err != nil {
		return err
	}
	if c.job.Sides.Prepared.Dropped()+c.job.Sides.Prepared.ZeroWeightRows() > 0 {
		return c.findClasses(ctx, c.job.Sides.Prepared.Left)
	}
	return nil
}

func (c *task) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	d := c.data
	d.Rows = c.job.Sides.Prepared.Left
	f, err := c.solver().Fit(ctx, e, &d, c.kernels[0])
	if err != nil {
		return nil, nil, err
	}
	c.fitting = f
	return f.Model, &f.Report, nil
}

func (c *task) rowsData() saved.Data {
	d := c.job.RowsData()
	d.Response, d.Classes, d.ClassKind = c.annotations.Words("--label", "--target"), c.classes, c.kind
	return d
}

func (c *task) planned(r *fit.PlanResult, _ *report.Report) {
	var texts []string
	for _, k := range c.kernels {
		texts = append(texts, k.String())
	}
	r.Kernel, r.Columns = strings.Join(texts, " | "), int64(r.Dimension)
}

// ridgeMetric is the result of the search for a metric.
type ridgeMetric struct {
	Form   string          `json:"form"`
	Round  int             `json:"round"`  // the chosen round; 0 for none
	Errors []report.Number `json:"errors"` // held-out errors without a metric and with that of each round
}

// ridgeImportance is the importance of a column.
type ridgeImportance struct {
	Column string        `json:"column"`
	Share  report.Number `json:"share"`
}

// maxImportance is the number of columns listed in the text.
const maxImportance = 8

// ridgeClassF1 is F1 of a class.
type ridgeClassF1 struct {
	Class string        `json:"class"`
	F1    report.Number `json:"f1"`
}

// ridgeScore has the scores of a target.
type ridgeScore struct {
	Target    string         `json:"target"`
	RMSE      report.Number  `json:"rmse"`
	RMSEError *report.Number `json:"rmse_error,omitempty"`
	R2        report.Number  `json:"r2"`
	R2Error   *report.Number `json:"r2_error,omitempty"`
}

// ridgeKernel is a kernel at its best penalty.
type ridgeKernel struct {
	Kernel    string `json:"kernel"`
	Landmarks int    `json:"landmarks,omitempty"` // of a kernel that lost the race
	ridgePenalty
}

// ridgePenalty is a penalty with its errors.
type ridgePenalty struct {
	Penalty report.Number   `json:"penalty"`
	RMSE    []report.Number `json:"rmse"`
	Error   *report.Number  `json:"misclassified,omitempty"`
}

func newRidgePenalty(p ridge.Penalty) ridgePenalty {
	return ridgePenalty{report.Number(p.Lambda), report.Numbers(p.RMSE), report.Optional(p.Misclassified)}
}

// errorOf returns the error of a penalty shown to people: the misclassification rate, or the RMSE of the first target.
func (c *task) errorOf(p ridge.Penalty) float64 {
	if c.fitting.Classes > 0 {
		return p.Misclassified
	}
	return p.RMSE[0]
}

// errorName returns the name of that error.
func (c *task) errorName() string {
	if c.fitting.Classes > 0 {
		return "error rate"
	}
	return "RMSE"
}

// ridgeKeys has the JSON keys of fit ridge.
var ridgeKeys = report.NewGroup("fit ridge")

var (
	keyKernels       = ridgeKeys.Key("kernels", "kernels that were tried, at their best penalty, not corrected: kernel, landmarks (if it was tried with fewer and left), penalty, rmse, misclassified")
	keyFolds         = ridgeKeys.Key("folds", "number of folds; 1: a tenth of the rows is held out")
	keyCorrectedFor  = ridgeKeys.Key("corrected_for", "number of configurations, a kernel with a penalty each, whose choice rmse, r2 and misclassified are corrected for; 0: not corrected")
	keyCounted       = ridgeKeys.Key("counted", "rows with a prediction out of fold")
	keyScores        = ridgeKeys.Key("scores", "errors of each target out of fold: target, rmse, r2, and their standard errors rmse_error and r2_error")
	keyMisclassified = ridgeKeys.Key("misclassified", "share of rows misclassified out of fold")
	keyF1            = ridgeKeys.Key("f1", "F1 of each class: class, f1")
	keyLogLoss       = ridgeKeys.Key("log_loss", "log loss of the probabilities")
	keyTemperature   = ridgeKeys.Key("temperature", "temperature that turns decisions into probabilities")
	keyPath          = ridgeKeys.Key("path", "penalties that were tried for the chosen kernel, not corrected: penalty, rmse, misclassified")
	keyPenalty       = ridgeKeys.Key("penalty", "penalty of the model")
	keyMetric        = ridgeKeys.Key("metric", "metric that was learnt: form, round (the one taken; 0: none), errors (on rows left out, of no metric and of each round: shares misclassified, or means of 1 − R²)")
	keyImportance    = ridgeKeys.Key("importance", "share of each column in the metric, the largest first: column, share")
)

func (c *task) fitted(d *model.Description, r *report.Report) {
	f, best := c.fitting, c.fitting.Chosen()
	c.addScores(r)
	report.PutClasses(r, c.classes)
	r.Add("kernel", "%s", report.Rounded(d.Kernel))
	c.addKernels(r)
	r.Put(report.KeyKnown, c.annotations.Words("--label", "--target"))
	r.Put(keyFolds, f.Folds)
	r.Put(keyCorrectedFor, f.Configurations)
	r.Put(keyCounted, f.Scored)
	var path []ridgePenalty
	for _, p := range f.Path {
		path = append(path, newRidgePenalty(p))
	}
	r.Put(keyPath, path)
	r.Show(keyPenalty, best.Lambda, "penalty", "%.4g", best.Lambda)
	r.Put(report.KeyLandmarks, f.Landmarks.Rows)
	if fit.AddLandmarks(r, &f.Report); len(f.ByLandmarks) < 2 {
		r.Add("landmarks", "%s", report.Count(int64(f.Landmarks.Rows)))
	}
	if f.MetricSearch != nil {
		c.putMetric(r)
	}
}

// addKernels adds the kernels tried.
func (c *task) addKernels(r *report.Report) {
	var kernels []ridgeKernel
	for _, k := range c.fitting.Kernels {
		kernels = append(kernels, ridgeKernel{k.Kernel.String(), k.Raced, newRidgePenalty(k.Penalty)})
		if len(c.fitting.Kernels) > 1 {
			how := fmt.Sprintf("penalty %.2g", k.Lambda)
			if k.Raced > 0 {
				how = fmt.Sprintf("trial, %d landmarks", k.Raced)
			}
			r.Add("  tried", "%s: %s %.4g (%s)", report.Rounded(k.Kernel.String()), c.errorName(), c.errorOf(k.Penalty), how)
		}
	}
	r.Put(keyKernels, kernels)
}

// addScores adds the out-of-fold errors: of each target, or of the classes.
func (c *task) addScores(r *report.Report) {
	f := c.fitting
	how := fmt.Sprintf("%d folds", f.Folds)
	if f.Folds == 1 {
		how = "a tenth of the rows held out"
	}
	corrected := ""
	if f.Configurations > 0 {
		corrected = fmt.Sprintf(", corrected for a choice of %d configurations", f.Configurations)
	}
	var scores []ridgeScore
	for j, r2 := range f.R2 {
		rmse := f.RMSE[j]
		scores = append(scores, ridgeScore{f.Names[j], report.Number(rmse.Value), report.Optional(rmse.StandardError),
			report.Number(r2), report.Optional(f.R2Error[j])})
		label := "RMSE"
		if len(f.Names) > 1 {
			label += " of " + f.Names[j]
		}
		r.Add(label, "%.4g%s, R² %.4f%s (%s%s)", rmse.Value,
			report.PlusMinus(report.Optional(rmse.StandardError), "%.2g"), r2, report.PlusMinus(report.Optional(f.R2Error[j]), "%.4f"), how, corrected)
	}
	r.PutSome(keyScores, scores)
	if s := f.Scores; s != nil {
		r.Put(keyMisclassified, 1-s.Accuracy)
		r.Put(report.KeyAccuracy, s.Accuracy)
		r.Put(report.KeyAccuracyError, s.StandardError)
		r.Put(report.KeyMacroF1, s.MacroF1)
		var f1 []ridgeClassF1
		for _, v := range s.F1 {
			f1 = append(f1, ridgeClassF1{c.classes[v.Class], report.Number(v.F1)})
		}
		r.Put(keyF1, f1)
		r.Put(keyLogLoss, s.LogLoss)
		r.Put(keyTemperature, f.Temperature)
		r.Add("accuracy", "%.4f%s (%s, %s rows%s)", s.Accuracy,
			report.PlusMinus(report.Optional(s.StandardError), "%.4f"), how, report.Count(int64(f.Scored)), corrected)
		r.Add("macro F1", "%.4f", s.MacroF1)
		r.Add("log loss", "%.4f", s.LogLoss)
	}
}

// putMetric adds the learnt metric.
func (c *task) putMetric(r *report.Report) {
	l := c.fitting.MetricSearch
	metric := ridgeMetric{c.settings.Metric.String(), l.Round, report.Numbers(l.Errors)}
	r.Show(keyMetric, metric, "metric", "%s, of round %d (0: none); errors on rows left out: %s", c.settings.Metric, l.Round, report.Values(l.Errors))
	var all []ridgeImportance // in descending order
	for j, v := range l.Importance {
		all = append(all, ridgeImportance{l.Columns[j], report.Number(v)})
	}
	slices.SortStableFunc(all, func(a, b ridgeImportance) int { return cmp.Compare(b.Share, a.Share) })
	var shares []string
	for _, v := range all[:min(maxImportance, len(all))] {
		shares = append(shares, fmt.Sprintf("%s %.3f", v.Column, float64(v.Share)))
	}
	r.Show(keyImportance, all, "importance", "%s", strings.Join(shares, "  "))
}
