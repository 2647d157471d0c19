package askls

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
)

// checkModel returns an error if a model contradicts the description of its samples.
func checkModel(m *askls.Model, d *saved.Data) error {
	explicit := m.Edges != nil
	switch {
	case len(d.Classes) > 0 && len(d.Classes) != m.Classes:
		return fmt.Errorf("meta.json: the names of %d classes for a model of %d", len(d.Classes), m.Classes)
	case !slices.Contains([]string{"", saved.GraphInput, saved.KernelMatrixInput}, d.Input):
		return fmt.Errorf("meta.json: data.input is %q", d.Input)
	case (d.Input != "") != explicit || (d.Input == saved.GraphInput) != (d.Graph != nil):
		return fmt.Errorf("meta.json: data.input %q does not go with the arrays", d.Input)
	}
	return nil
}

func (c *task) planned(r *fit.PlanResult, t *report.Report) {
	if r.Columns = r.Rows; r.Dimension > 0 {
		r.Kernel = c.job.Kernel.String()
	}
	t.Add("classes", "%d: %s", len(c.labels.Classes), report.Words(c.labels.Classes))
}

// asklsKeys has the JSON keys of fit askls.
var asklsKeys = report.NewGroup("fit askls")

var (
	keyClassSizes = asklsKeys.Key("class_sizes", "samples of each class that was learnt from")
	keyC          = asklsKeys.Key("C", "penalty of errors (--C)")
	keyMerge      = asklsKeys.Key("merge", "combination of the source and target functions (--merge)")
	keyEngineRank = asklsKeys.Key("engine_rank", "rank of the approximation, or of the preconditioner")
	keySettled    = asklsKeys.Key("settled", "whether the iteration converged")
	keyTrain      = asklsKeys.Key("train", "figures of the training samples: samples, accuracy, micro_f1, macro_f1")
	keyOutOfFold  = asklsKeys.Key("out_of_fold", "figures of predictions out of fold: samples, accuracy, accuracy_error (its standard error), micro_f1, macro_f1")
	keyTest       = asklsKeys.Key("test", "figures of the test samples: samples, accuracy, accuracy_error (its standard error), micro_f1, macro_f1")
)

func (c *task) fitted(d *model.Description, r *report.Report) {
	f, sizes := c.fitting, c.labels.Sizes()
	r.Put(report.KeyInput, cmp.Or(c.input(), "rows"))
	r.Show(report.KeyClasses, c.labels.Classes, "classes", "%d: %s", len(sizes), classWords(c.labels.Classes, sizes))
	r.Put(keyClassSizes, sizes)
	rows.PutGraph(r, c.job.Graph, &c.job.Edges)
	if d.Kernel != "" {
		r.Add("kernel", "%s", report.Rounded(d.Kernel))
	}
	ridge := ""
	if f.Ridge > 0 {
		ridge = fmt.Sprintf(", ridge %g", f.Ridge)
	}
	r.Show(keyC, f.C, "C", "%g%s; source and target functions merged by %s", f.C, ridge, f.Merge)
	r.Put(report.KeyRidge, f.Ridge)
	r.Put(keyMerge, f.Merge.String())
	r.Show(report.KeyEngine, f.Algorithm.String(), "engine", "%s", engineWords(c))
	r.PutSome(keyEngineRank, f.Rank)
	r.PutSome(report.KeyCondition, f.Condition)
	r.PutSome(report.KeyIterations, f.Iterations)
	r.Put(keySettled, !f.NotConverged)
	for _, one := range []struct {
		key   *report.Key
		name  string
		tally *metrics.Tally
	}{{keyTrain, "training accuracy", &c.scores.train}, {keyOutOfFold, "accuracy out of fold", &c.scores.outOfFold}, {keyTest, "test accuracy", &c.scores.test}} {
		if figures := report.FiguresOf(one.tally); figures != nil {
			if one.key == keyTrain {
				figures.Error = nil
			}
			r.Show(one.key, figures, one.name, "%s", figures.Words(c.unit()))
		}
	}
}

func engineWords(c *task) string {
	f := c.fitting
	words := []string{f.Algorithm.String()}
	if f.Rank > 0 {
		words = append(words, fmt.Sprintf("rank %d", f.Rank))
	}
	if f.Iterations > 0 {
		words = append(words, fmt.Sprintf("%d iterations", f.Iterations))
	}
	if !math.IsNaN(f.Condition) {
		words = append(words, fmt.Sprintf("condition number %.1e", f.Condition))
	}
	if f.NotConverged {
		words = append(words, "not converged")
	}
	return strings.Join(words, ", ")
}

// classWords returns the first classes with their numbers of samples.
func classWords(classes []string, sizes []int) string {
	words := make([]string, len(classes))
	for i, c := range classes {
		words[i] = fmt.Sprintf("%s\u00a0(%s)", c, report.Count(int64(sizes[i])))
	}
	return report.Words(words)
}
