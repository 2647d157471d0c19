package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
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
		r.Kernel = c.kernel.String()
	}
	t.Add("classes", "%d: %s", len(c.known.classes), show.Words(c.known.classes))
}

// inputWord returns what the samples are.
func (c *asklsTask) inputWord() string { return cmp.Or(c.input(), "rows") }

// asklsResult is what fit prints as JSON of askls.
type asklsResult struct {
	*fitResult
	Input      string       `json:"input"` // rows, graph or kernel matrix
	Engine     string       `json:"engine"`
	Merge      string       `json:"merge"`
	C          show.Number  `json:"C"`
	Ridge      show.Number  `json:"ridge"` // of the system that was solved
	Classes    []string     `json:"classes"`
	ClassSizes []int        `json:"class_sizes"`           // of what was learnt from
	EngineRank int          `json:"engine_rank,omitempty"` // of the approximation, or of what speeds up the iteration
	Condition  *show.Number `json:"condition,omitempty"`
	Iterations int          `json:"iterations,omitempty"`
	Settled    bool         `json:"settled"`
	Train      *figures     `json:"train,omitempty"`
	OutOfFold  *figures     `json:"out_of_fold,omitempty"`
	Test       *figures     `json:"test,omitempty"`
	Graph      *graphResult `json:"graph,omitempty"`
}

// figures are accuracies of classes.
type figures struct {
	Samples  int64       `json:"samples"`
	Accuracy show.Number `json:"accuracy"`
	MicroF1  show.Number `json:"micro_f1"` // the accuracy, where a sample has one class
	MacroF1  show.Number `json:"macro_f1"`
}

// figuresOf returns the figures of a tally, nil if it is empty.
func figuresOf(t *metrics.Tally) *figures {
	accuracy, err := t.Accuracy()
	macro, err2 := t.MacroF1()
	if errors.Join(err, err2) != nil {
		return nil
	}
	return &figures{t.Rows(), show.Number(accuracy), show.Number(accuracy), show.Number(macro)}
}

func (f *figures) words(unit string) string {
	return fmt.Sprintf("accuracy %.4f (micro F1), macro F1 %.4f, of %s %s", float64(f.Accuracy), float64(f.MacroF1), show.Count(f.Samples), unit)
}

func (c *asklsTask) fitted(base *fitResult, t *show.Text) any {
	f := c.fitting
	r := &asklsResult{fitResult: base, Input: c.inputWord(), Engine: f.Engine.String(), Merge: f.Merge.String(), C: show.Number(f.C), Ridge: show.Number(f.Ridge),
		Classes: c.known.classes, ClassSizes: c.known.sizes(), EngineRank: f.Rank, Condition: show.Optional(f.Condition), Iterations: f.Iterations, Settled: !f.NotConverged,
		Train: figuresOf(&c.told.train), OutOfFold: figuresOf(&c.told.outOfFold), Test: figuresOf(&c.told.test),
		Graph: graphResultOf(c.graph, &c.edges)}
	r.text(t, c.unit())
	return r
}

// text adds the lines of this family.
func (r *asklsResult) text(t *show.Text, unit string) {
	t.Add("classes", "%d: %s", len(r.Classes), classWords(r.Classes, r.ClassSizes))
	if r.Graph != nil {
		r.Graph.text(t)
	}
	if r.Kernel != "" {
		t.Add("kernel", "%s", r.Kernel)
	}
	ridge := ""
	if r.Ridge > 0 {
		ridge = fmt.Sprintf(", ridge %g", float64(r.Ridge))
	}
	t.Add("machine", "C %g%s, merged by %s", float64(r.C), ridge, r.Merge)
	t.Add("engine", "%s", r.engineWords())
	for _, f := range []struct {
		name string
		of   *figures
	}{{"train", r.Train}, {"out of fold", r.OutOfFold}, {"test", r.Test}} {
		if f.of != nil {
			t.Add(f.name, "%s", f.of.words(unit))
		}
	}
}

func (r *asklsResult) engineWords() string {
	words := []string{r.Engine}
	if r.EngineRank > 0 {
		words = append(words, fmt.Sprintf("rank %d", r.EngineRank))
	}
	if r.Iterations > 0 {
		words = append(words, fmt.Sprintf("%d iterations", r.Iterations))
	}
	if r.Condition != nil {
		words = append(words, fmt.Sprintf("condition number %.1e", float64(*r.Condition)))
	}
	if !r.Settled {
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
