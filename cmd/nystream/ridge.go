package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// ridgeFamily are regressions and classifiers.
var ridgeFamily = &family{
	name:       ridge.Name,
	methods:    []string{ridge.Name},
	fitters:    []fitter{{ridge.Name, "DATA... --target COLUMN", newRidgeTask}},
	load:       loader(ridge.Load),
	unverified: ": they approximate no matrix; nystream predict --label compares classes with the true ones",
}

// ridgeKernels are the kernels to choose from unless others are given. bench/peers/regression.py kernels
// compares them, out of fold and with 500 landmarks, with 13 others on nine tables of 308 to 15,000 rows.
// The best of them is at most 15 % worse than the best of all; rbf(gamma=median) is up to 55 % worse than it.
const ridgeKernels = "laplace(gamma=0.25*median|0.5*median) | matern32(length=2*median) | matern52(length=4*median)"

// alternatives is a flag of kernels: those of repeated flags are joined.
type alternatives struct {
	text  *string
	given bool
}

// Set adds kernels, and forgets the default.
func (a *alternatives) Set(text string) error {
	if a.given {
		text = *a.text + " | " + text
	}
	*a.text, a.given = text, true
	return nil
}

func (a *alternatives) String() string { return *a.text }

// Type is the word for the value in help.
func (a *alternatives) Type() string { return "kernels" }

// ridgeTask is a fit of ridge.
type ridgeTask struct {
	*job
	how                     ridge.Solver // but for its seed
	target, weights, foldBy string
	classWeight             word

	kernels []kernelgen.Kernel
	asides  asides
	known   ridge.Data // but for its rows
	files   []keptFile // columns beside the rows
	classes []string
	kind    string // of the classes
	fitting *ridge.Fit
}

func newRidgeTask(j *job, cmd *cobra.Command) task {
	c := &ridgeTask{job: j}
	j.kernelText = ridgeKernels
	f := cmd.Flags()
	f.Var(&alternatives{text: &j.kernelText}, "kernel",
		"`kernels` to choose from, such as 'rbf(gamma=0.1|1)'; repeat it for more")
	j.addCompletion(cmd, completeKernels, "kernel")
	j.addLabelAside(cmd, "`column` or file of the classes to predict, instead of --target")
	j.addAside(cmd, &c.target, "target", "`columns` or file of the numbers to predict", model.Left)
	f.IntVar(&c.how.Landmarks, "landmarks", 1000, "`number` of landmarks")
	f.Float64SliceVar(&c.how.Penalties, "penalty", nil,
		"`numbers` to choose the penalty from; five to seven that suit the data if not given")
	f.Lookup("penalty").DefValue = "" // not []
	f.IntVar(&c.how.Folds, "folds", 0, "`number` of folds, 1 for a held-out tenth; 5 up to 3,000 landmarks")
	j.addAside(cmd, &c.weights, "weights", "`column` or file of the weights of the rows", model.Left)
	j.addAside(cmd, &c.foldBy, "fold-by", "`column` or file whose equal values stay in one fold", model.Left)
	addChoice(cmd, &c.classWeight, "class-weight", "weights of classes", words("none", "balanced"), "", "rare classes weigh as much")
	f.Var(&scoreRows{&c.how.ScoreRows}, "score-rows", "`number` of rows that scores are counted on, or all, by another pass")
	f.BoolVar(&c.how.Std, "std", false, "keep what predict --std needs: 16·landmarks² bytes")
	forms := []ridge.Metric{ridge.NoMetric, ridge.DiagonalMetric, ridge.FullMetric}
	addChoice(cmd, &c.how.Metric, "metric", "metric learnt from the data", forms, "", "factors of columns", "a matrix")
	setDefault(cmd, "scale", "standard")
	return c
}

func (c *ridgeTask) refuses(args []string) []contradiction {
	label, target := c.given("label"), c.given("target")
	return []contradiction{
		{len(args) == 0, noData},
		{target && c.classWeight == "balanced", "--class-weight is for classes: leave it out, or give --label for --target"},
		{target && c.how.ScoreRows == ridge.AllRows, "--score-rows all is for classes: errors of numbers are those of all rows without it; leave it out"},
		{label && c.how.Std, "--std is for numbers: classes have probabilities without it; leave it out"},
		{label && target, "--label and --target: one of them is predicted; leave the other out"},
		c.needs(!label, "target", ": the columns of the numbers to predict, such as --target price; or --label for classes"),
		c.least("landmarks", c.how.Landmarks, 1),
		c.least("folds", c.how.Folds, 1),
		{slices.ContainsFunc(c.how.Penalties, func(v float64) bool { return !(v > 0 && v <= math.MaxFloat64) }), "--penalty must be above 0, such as 0.1"},
	}
}

func (c *ridgeTask) parse() (err error) {
	c.kernels, err = kernelgen.ParseAll(c.kernelText)
	return err
}

// open opens the data, and finds what is known of the rows.
func (c *ridgeTask) open(ctx context.Context, args []string) error {
	if err := c.asides.open(ctx, c.job, args); err != nil {
		return err
	}
	return c.learn(ctx)
}

// keptFile are columns of a file that are kept beside the rows.
type keptFile struct {
	names  []string
	values *asideValues
}

// besides returns the rows with the columns of files.
func (c *ridgeTask) besides(rows stream.Source) (stream.Source, error) {
	for _, f := range c.files {
		var err error
		if rows, err = stream.Beside(rows, f.names, f.values.values...); err != nil {
			return nil, fromData(err)
		}
	}
	return rows, nil
}

// learn finds the columns of what is known of the rows, and the classes. It reads other files.
func (c *ridgeTask) learn(ctx context.Context) error {
	c.known, c.files = ridge.Data{}, nil
	for i, a := range c.asides.list {
		names := a.columns
		if a.file != "" {
			v, err := c.data.readAsideFile(ctx, c.app, a, c.left.Info().Rows)
			if err == nil {
				err = v.checkWhole()
			}
			if err != nil {
				return err
			}
			names, c.asides.list[i].told = v.columns, v.told
			if a.flag != "--target" {
				names = slices.Repeat([]string{a.named()}, len(v.columns))
			}
			c.files = append(c.files, keptFile{names, v})
		}
		if a.flag == "--target" {
			c.known.Targets = names
			continue
		}
		what := map[string]string{"--label": "classes", "--weights": "weights", "--fold-by": "groups"}[a.flag]
		if len(names) != 1 {
			return usagef("%s: %d columns; %s are in one", a.named(), len(names), what)
		}
		switch a.flag {
		case "--label":
			c.known.Classes = &ridge.Classes{Label: names[0]}
		case "--weights":
			c.known.Weights, c.rows.Weights = names[0], names[0]
		case "--fold-by":
			c.known.FoldBy = names[0]
		}
	}
	return c.findClasses(ctx, c.left)
}

// findClasses finds the classes of the rows of positive weight. Cost: one pass if labels or weights are in DATA.
func (c *ridgeTask) findClasses(ctx context.Context, rows stream.Source) (err error) {
	if c.known.Classes == nil {
		return nil
	}
	inData := func(a aside) bool { return a.file == "" && (a.flag == "--label" || a.flag == "--weights") }
	a := c.asides.list[slices.IndexFunc(c.asides.list, func(a aside) bool { return a.flag == "--label" })]
	label, name := c.known.Classes.Label, rows.Info().Name
	if !slices.ContainsFunc(c.asides.list, inData) && rows == stream.Source(c.left) { // there is no need to read the rows
		name = a.file
		rows = stream.FromMatrix(a.file, matrix.New(int(rows.Info().Rows), 0))
	}
	d, err := c.problem(rows)
	if err == nil {
		c.known.Classes, err = d.FindClasses(ctx, c.engine(), label)
	}
	if err != nil {
		return err
	}
	c.classes = c.known.Classes.Names()
	c.kind = classKind(c.classes, c.known.Classes.Levels.Kind, a.told)
	total := 0
	for _, n := range c.known.Classes.Counts {
		total += int(n)
	}
	return checkClasses(name, a, c.classes, total, "for numbers that are measured use --target")
}

// solver returns what the flags say.
func (c *ridgeTask) solver() ridge.Solver {
	s := c.how
	s.Seed, s.Kernels, s.Balanced = c.seed, c.kernels[1:], c.classWeight == "balanced"
	return s
}

// problem returns what is fitted.
func (c *ridgeTask) problem(rows stream.Source) (d ridge.Data, err error) {
	d = c.known
	d.Rows, err = c.besides(rows)
	return d, err
}

func (c *ridgeTask) title() string {
	return fmt.Sprintf("ridge model of %s rows, %d columns, %s", show.Count(c.shape().Rows), c.shape().Columns, c.asides.words("--label", "--target"))
}

func (c *ridgeTask) plan(e stream.Engine) (*model.Plan, error) {
	d, err := c.problem(c.left)
	if err != nil {
		return nil, err
	}
	s := d.Shape()
	s.Rows = c.shape().Rows
	p, err := c.solver().Plan(e, s, c.kernels[0])
	if err != nil {
		return nil, err
	}
	for _, f := range c.files {
		p.Add("values of "+f.values.file, f.values.size(), "")
	}
	return p, nil
}

// prepare prepares the rows. If rows were left out, it finds the classes of the remaining rows again.
func (c *ridgeTask) prepare(ctx context.Context) (err error) {
	if c.beside, err = c.besides(c.left); err != nil {
		return err
	}
	if err := c.job.prepare(ctx); err != nil {
		return err
	}
	if c.prepared.dropped()+c.prepared.absent() > 0 {
		return c.findClasses(ctx, c.prepared.left)
	}
	return nil
}

func (c *ridgeTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	d := c.known
	d.Rows = c.prepared.left
	f, err := c.solver().Fit(ctx, e, &d, c.kernels[0])
	if err != nil {
		return nil, nil, err
	}
	c.fitting = f
	return f.Model, &f.Report, nil
}

func (c *ridgeTask) rowsData() rowsData {
	d := c.job.rowsData()
	d.Known, d.Classes, d.ClassKind = c.asides.words("--label", "--target"), c.classes, c.kind
	return d
}

func (c *ridgeTask) planned(r *planResult, _ *show.Text) {
	var texts []string
	for _, k := range c.kernels {
		texts = append(texts, k.String())
	}
	r.Kernel, r.Columns = strings.Join(texts, " | "), int64(r.Dimension)
}

// ridgeMetric is what the search for a metric found.
type ridgeMetric struct {
	Form   string        `json:"form"`
	Round  int           `json:"round"`  // the one taken; 0 for none
	Errors []show.Number `json:"errors"` // on rows left out of the search, of no metric and of each round
}

// ridgeImportance is how much a column counts.
type ridgeImportance struct {
	Column string      `json:"column"`
	Share  show.Number `json:"share"`
}

// mostImportant is how many columns the text names.
const mostImportant = 8

// ridgeClassF1 is F1 of a class.
type ridgeClassF1 struct {
	Class string      `json:"class"`
	F1    show.Number `json:"f1"`
}

// ridgeScore is how well a target is predicted.
type ridgeScore struct {
	Target    string       `json:"target"`
	RMSE      show.Number  `json:"rmse"`
	RMSEError *show.Number `json:"rmse_error,omitempty"`
	R2        show.Number  `json:"r2"`
	R2Error   *show.Number `json:"r2_error,omitempty"`
}

// ridgeKernel is a kernel that was tried, at its best penalty.
type ridgeKernel struct {
	Kernel string `json:"kernel"`
	ridgePenalty
}

// ridgePenalty is a penalty that was tried.
type ridgePenalty struct {
	Penalty show.Number   `json:"penalty"`
	RMSE    []show.Number `json:"rmse"`
	Error   *show.Number  `json:"misclassified,omitempty"`
}

func newRidgePenalty(p ridge.Penalty) ridgePenalty {
	return ridgePenalty{show.Number(p.Lambda), show.Numbers(p.RMSE), show.Optional(p.Misclassified)}
}

// errorOf returns the error of a penalty that people read: the share of rows misclassified, or the
// RMSE of the first target.
func (c *ridgeTask) errorOf(p ridge.Penalty) float64 {
	if c.fitting.Classes > 0 {
		return p.Misclassified
	}
	return p.RMSE[0]
}

// longNumber matches numbers of more than six digits.
var longNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+\.\d{5,}(e[-+]?\d+)?`) })

// rounded returns a kernel with four digits of each number.
func rounded(k kernelgen.Kernel) string {
	return longNumber().ReplaceAllStringFunc(k.String(), func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(v, 'g', 4, 64)
	})
}

func (c *ridgeTask) fitted(d *model.Description, r *show.Report) {
	f, best := c.fitting, c.fitting.Chosen()
	r.Add("kernel", "%s", d.Kernel)
	var kernels []ridgeKernel
	for _, k := range f.Kernels {
		kernels = append(kernels, ridgeKernel{k.Kernel.String(), newRidgePenalty(k.Penalty)})
		if len(f.Kernels) > 1 {
			r.Add("tried", "%s: error %.4g at penalty %.2g", rounded(k.Kernel), c.errorOf(k.Penalty), k.Lambda)
		}
	}
	r.Put("kernels", kernels)
	known := c.asides.words("--label", "--target")
	r.Put("known", known)
	r.Add("predicts", "%s", known)
	r.PutSome("classes", c.classes)
	if len(c.classes) > 0 {
		r.Add("classes", "%d: %s", len(c.classes), show.Words(c.classes))
	}
	how := fmt.Sprintf("%d folds", f.Folds)
	if f.Folds == 1 {
		how = "a tenth of the rows, held out"
	}
	corrected := ""
	if f.Configurations > 0 {
		corrected = fmt.Sprintf("; corrected for the choice among %d configurations", f.Configurations)
	}
	r.Put("folds", f.Folds)
	r.Put("corrected_for", f.Configurations)
	r.Put("counted", f.Counted) // rows of out-of-fold predictions
	var scores []ridgeScore     // of each target, out of fold
	for j, r2 := range f.R2 {
		rmse := f.RMSE[j]
		scores = append(scores, ridgeScore{f.Names[j], show.Number(rmse.Value), show.Optional(rmse.StandardError),
			show.Number(r2), show.Optional(f.R2Error[j])})
		r.Add("error", "%s: RMSE %.4g%s, R² %.4f%s (%s%s)", f.Names[j], rmse.Value,
			plusMinus(show.Optional(rmse.StandardError), "%.2g"), r2, plusMinus(show.Optional(f.R2Error[j]), "%.4f"), how, corrected)
	}
	r.PutSome("scores", scores)
	if s := f.Scores; s != nil {
		r.Put("misclassified", 1-s.Accuracy)
		r.Put("accuracy", s.Accuracy)
		r.Put("accuracy_error", s.StandardError)
		r.Put("macro_f1", s.MacroF1)
		var f1 []ridgeClassF1
		for _, v := range s.F1 {
			f1 = append(f1, ridgeClassF1{c.classes[v.Class], show.Number(v.F1)})
		}
		r.Put("f1", f1)
		r.Put("log_loss", s.LogLoss)
		r.Put("temperature", f.Temperature)
		r.Add("error", "%.4f%s of the rows are put into another class (%s; counted on %s rows%s)", 1-s.Accuracy,
			plusMinus(show.Optional(s.StandardError), "%.4f"), how, show.Count(int64(f.Counted)), corrected)
		r.Add("scores", "macro F1 %.4f, log loss of probabilities %.4f", s.MacroF1, s.LogLoss)
	}
	var path []ridgePenalty
	var words []string
	for _, p := range f.Path {
		path = append(path, newRidgePenalty(p))
		words = append(words, fmt.Sprintf("%.2g: %.4g", p.Lambda, c.errorOf(p)))
	}
	r.Put("path", path)
	r.Put("penalty", best.Lambda)
	r.Add("penalty", "%.4g, of %s", best.Lambda, strings.Join(words, "  "))
	r.Put("landmarks", f.Landmarks.Rows)
	r.Add("landmarks", "%s", show.Count(int64(f.Landmarks.Rows)))
	if f.Learnt != nil {
		c.putMetric(r)
	}
}

// putMetric adds the metric that was learnt.
func (c *ridgeTask) putMetric(r *show.Report) {
	l := c.fitting.Learnt
	r.Put("metric", ridgeMetric{c.how.Metric.String(), l.Round, show.Numbers(l.Errors)})
	r.Add("metric", "%s, round %d is taken (0: none); errors %s on rows left out", c.how.Metric, l.Round, show.Values(l.Errors))
	var all []ridgeImportance // the largest first
	for j, v := range l.Importance {
		all = append(all, ridgeImportance{l.Columns[j], show.Number(v)})
	}
	slices.SortStableFunc(all, func(a, b ridgeImportance) int { return cmp.Compare(b.Share, a.Share) })
	r.Put("importance", all)
	var shares []string
	for _, v := range all[:min(mostImportant, len(all))] {
		shares = append(shares, fmt.Sprintf("%s %.3f", v.Column, float64(v.Share)))
	}
	r.Add("importance", "%s", strings.Join(shares, "  "))
}
