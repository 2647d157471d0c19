package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
)

// checkASKLS returns an error if a model contradicts the description of its samples.
func checkASKLS(m *askls.Model, d *rowsData) error {
	explicit := m.Edges != nil
	switch {
	case len(d.Classes) > 0 && len(d.Classes) != m.Classes:
		return fmt.Errorf("meta.json: the names of %d classes for a model of %d", len(d.Classes), m.Classes)
	case !slices.Contains([]string{"", graphInput, kernelMatrixInput}, d.Input):
		return fmt.Errorf("meta.json: data.input is %q", d.Input)
	case (d.Input != "") != explicit || (d.Input == graphInput) != (d.Graph != nil):
		return fmt.Errorf("meta.json: data.input %q does not go with the arrays", d.Input)
	}
	return nil
}

func (c *asklsTask) planned(r *planResult, t *show.Text) {
	if r.Columns = r.Rows; r.Dimension > 0 {
		r.Kernel = c.job.kernel.String()
	}
	t.Add("classes", "%d: %s", len(c.known.classes), show.Words(c.known.classes))
}

// figures are accuracies of classes.
type figures struct {
	Samples  int64       `json:"samples"`
	Accuracy show.Number `json:"accuracy"`
	MicroF1  show.Number `json:"micro_f1"` // the accuracy, where a sample has one class
	MacroF1  show.Number `json:"macro_f1"`
	// Error is the standard error of the accuracy; nil for rows of the training set.
	Error *show.Number `json:"accuracy_error,omitempty"`
}

// figuresOf returns the figures of a tally, nil if it is empty.
func figuresOf(t *metrics.Tally) *figures {
	accuracy, err := t.Accuracy()
	macro, err2 := t.MacroF1()
	if errors.Join(err, err2) != nil {
		return nil
	}
	return &figures{t.Rows(), show.Number(accuracy), show.Number(accuracy), show.Number(macro),
		show.Optional(metrics.ShareError(accuracy, float64(t.Rows())))}
}

func (f *figures) words(unit string) string {
	return fmt.Sprintf("accuracy %.4f%s (micro F1), macro F1 %.4f, of %s %s", float64(f.Accuracy), plusMinus(f.Error, "%.4f"),
		float64(f.MacroF1), show.Count(f.Samples), unit)
}

func (c *asklsTask) fitted(d *model.Description, r *show.Report) {
	f, sizes := c.fitting, c.known.sizes()
	r.Put("input", cmp.Or(c.input(), "rows")) // rows, graph or kernel matrix
	r.Put("classes", c.known.classes)
	r.Put("class_sizes", sizes) // of what was learnt from
	r.Add("classes", "%d: %s", len(sizes), classWords(c.known.classes, sizes))
	putGraph(r, c.job.graph, &c.job.edges)
	if d.Kernel != "" {
		r.Add("kernel", "%s", d.Kernel)
	}
	r.Put("C", f.C)
	r.Put("ridge", f.Ridge) // of the system that was solved
	r.Put("merge", f.Merge.String())
	ridge := ""
	if f.Ridge > 0 {
		ridge = fmt.Sprintf(", ridge %g", f.Ridge)
	}
	r.Add("machine", "C %g%s, merged by %s", f.C, ridge, f.Merge)
	r.Put("engine", f.Engine.String())
	r.PutSome("engine_rank", f.Rank) // of the approximation, or of what speeds up the iteration
	r.PutSome("condition", f.Condition)
	r.PutSome("iterations", f.Iterations)
	r.Put("settled", !f.NotConverged)
	r.Add("engine", "%s", c.engineWords())
	for _, one := range []struct {
		key, name string
		tally     *metrics.Tally
	}{{"train", "train", &c.told.train}, {"out_of_fold", "out of fold", &c.told.outOfFold}, {"test", "test", &c.told.test}} {
		if figures := figuresOf(one.tally); figures != nil {
			if one.key == "train" {
				figures.Error = nil
			}
			r.Put(one.key, figures)
			r.Add(one.name, "%s", figures.words(c.unit()))
		}
	}
}

func (c *asklsTask) engineWords() string {
	f := c.fitting
	words := []string{f.Engine.String()}
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
		words = append(words, "not settled")
	}
	return strings.Join(words, ", ")
}

// classWords returns the first classes with the number of samples of each.
func classWords(classes []string, sizes []int) string {
	words := make([]string, len(classes))
	for i, c := range classes {
		words[i] = fmt.Sprintf("%s (%s)", c, show.Count(int64(sizes[i])))
	}
	return show.Words(words)
}
