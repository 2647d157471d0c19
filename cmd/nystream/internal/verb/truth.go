package verb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// truth holds the true classes for comparison with predictions. Labels are read with the rows as a kept column, or
// before them from a file. Classes of the model come first; labels that it does not know get the numbers after them,
// and count as wrong.
type truth struct {
	label      rows.Annotation
	source     string // for messages
	column     int    // index of the label among the kept columns
	rowClasses []int  // classes of all rows, -1 for none; nil if labels are kept columns
	classes    []string
	known      int            // number of classes of the model; others follow them
	index      map[string]int // of the classes
	tally      metrics.Tally
	unlabelled int64 // rows without a label
}

// newTruth returns the truth for the given classes.
func newTruth(label rows.Annotation, classes []string) *truth {
	t := &truth{label: label, classes: slices.Clone(classes), known: len(classes), index: make(map[string]int)}
	for i, c := range classes {
		t.index[c] = i
	}
	return t
}

// class returns the index of a label, adding those that the model does not know.
func (t *truth) class(label string) (int, error) {
	if c, ok := t.index[label]; ok {
		return c, nil
	}
	c := len(t.classes)
	if c-t.known == rows.MaxClasses {
		return 0, stream.NewDataError(t.label.Text(), "more than %d labels that the model does not know, such as %q and %q", rows.MaxClasses, t.classes[t.known], label).
			WithRemedy("is this the column of the labels?")
	}
	t.classes = append(t.classes, label)
	t.index[label] = c
	return c, nil
}

// classesOf returns the classes of all values of a column.
func (t *truth) classesOf(v *rows.AnnotationValues) ([]int, error) {
	if err := v.CheckWhole(); err != nil {
		return nil, err
	}
	c := &v.Values[0]
	classes := make([]int, c.Len())
	for i := range classes {
		var err error
		if classes[i], err = t.class(rows.WordOf(c, i)); err != nil {
			return nil, err
		}
	}
	return classes, nil
}

// compare counts the rows of a block.
func (t *truth) compare(b *stream.Block, chosen []int) error {
	labels := t.rowClasses
	if labels != nil {
		labels = labels[b.Start : b.Start+int64(len(chosen))]
	} else {
		var err error
		labels, err = t.classesOf(&rows.AnnotationValues{Annotation: t.label, Source: t.source, First: b.Start, Values: b.Kept[t.column : t.column+1]})
		if err != nil {
			return err
		}
	}
	var actual, predicted []int
	for i, l := range labels {
		if l >= 0 {
			actual, predicted = append(actual, l), append(predicted, chosen[i])
		}
	}
	t.unlabelled += int64(len(labels) - len(actual))
	t.tally.Add(actual, predicted)
	return nil
}

// truthKeys has the JSON keys of predict --label for classes.
var truthKeys = report.NewGroup("predict --label, of classes")

var (
	keyLabelledRows  = truthKeys.Key("labelled", "rows with a label")
	keyUnlabelled    = truthKeys.Key("unlabelled", "rows without a label, in no figure")
	keyMicroF1       = truthKeys.Key("micro_f1", "the accuracy, because a row has one class")
	keyUnknownLabels = truthKeys.Key("unknown_labels", "labels that the model does not know: rows, labels")
	keyConfusion     = truthKeys.Key("confusion", "confusion matrix: classes, counts (rows are labels, columns predictions), f1 of each class")
)

// unknownLabel is a label that the model does not know.
type unknownLabel struct {
	Rows   int64    `json:"rows"`
	Labels []string `json:"labels"`
}

// confusion is the table of labels (rows) against predictions (columns).
type confusion struct {
	Classes []string        `json:"classes"` // classes that occur in either
	Counts  [][]int64       `json:"counts"`
	F1      []report.Number `json:"f1"` // for each class
}

// report adds the comparison of predictions with the truth. It fails if no row has a label.
func (t *truth) report(out *report.Report) error {
	figures := report.FiguresOf(&t.tally)
	if figures == nil {
		return stream.NewDataError(t.label.Text(), "no row has a label to compare with")
	}
	table, unknown, err := t.confusion()
	if err != nil {
		return err
	}
	labelled := figures.Samples
	out.Put(keyLabelledRows, labelled)
	out.PutSome(keyUnlabelled, t.unlabelled)
	out.Show(report.KeyAccuracy, figures.Accuracy, "accuracy", "%.4f%s (micro F1), of %s labelled rows", float64(figures.Accuracy),
		report.PlusMinus(figures.Error, "%.4f"), report.Count(labelled))
	out.PutSome(report.KeyAccuracyError, figures.Error)
	out.Put(keyMicroF1, figures.MicroF1)
	out.Show(report.KeyMacroF1, figures.MacroF1, "macro F1", "%.4f", float64(figures.MacroF1))
	if t.unlabelled > 0 {
		out.Add("unlabelled", "%s rows, in no figure", report.Count(t.unlabelled))
	}
	if unknown != nil {
		out.Show(keyUnknownLabels, unknown, "unknown", "%s rows have labels that the model does not know, and count as wrong: %s",
			report.Count(unknown.Rows), report.Words(unknown.Labels))
	}
	out.Put(keyConfusion, table)
	table.addTo(out)
	return nil
}

// confusion returns the table of labels against predictions, and the labels that the model does not know, nil if there
// are none.
func (t *truth) confusion() (table *confusion, unknown *unknownLabel, err error) {
	c, err := t.tally.Confusion()
	scores, err2 := t.tally.ClassF1()
	if err = errors.Join(err, err2); err != nil {
		return nil, nil, err
	}
	table = &confusion{Counts: c.Counts}
	for i, class := range c.Classes {
		table.Classes = append(table.Classes, t.classes[class])
		table.F1 = append(table.F1, report.Number(scores[i].F1))
		if class < t.known {
			continue
		}
		if unknown == nil {
			unknown = &unknownLabel{}
		}
		unknown.Labels = append(unknown.Labels, t.classes[class])
		for _, n := range c.Counts[i] {
			unknown.Rows += n
		}
	}
	return table, unknown, nil
}

// maxConfusionClasses is the number of classes listed in the text: those with the most rows.
const maxConfusionClasses = 12

// addTo adds the table as lines, of as many classes as they have room for.
func (c *confusion) addTo(r *report.Report) {
	order := make([]int, len(c.Classes))
	for i := range order {
		order[i] = i
	}
	rows := func(i int) (n int64) {
		for _, v := range c.Counts[i] {
			n += v
		}
		return n
	}
	largest := slices.Clone(order)
	slices.SortStableFunc(largest, func(a, b int) int { return cmp.Compare(rows(b), rows(a)) })
	const room = 80 - len("    ")
	n := min(len(order), maxConfusionClasses)
	if n < len(c.Classes) {
		order = largest[:n]
	}
	lines := c.lines(order)
	for ; n > 2 && utf8.RuneCountInString(lines[0]) > room; lines = c.lines(largest[:n]) {
		n--
	}
	some := ""
	if n < len(c.Classes) {
		some = fmt.Sprintf("; the %d largest of %d classes", n, len(c.Classes))
	}
	r.Add("confusion", "rows: labels, columns: predictions%s", some)
	for _, line := range lines {
		r.AddWide("  " + line)
	}
}

// lines returns the table of some classes, a line each; the first is as wide as the table.
func (c *confusion) lines(classes []int) []string {
	const most = 14 // letters of a name
	head := []string{""}
	for _, j := range classes {
		head = append(head, report.Truncate(c.Classes[j], most))
	}
	table := [][]string{append(head, "F1", "")}
	for k, i := range classes {
		row := []string{head[1+k]}
		for _, j := range classes {
			row = append(row, report.Count(c.Counts[i][j]))
		}
		table = append(table, append(row, fmt.Sprintf("%.3f", float64(c.F1[i])), ""))
	}
	return report.Columns(table)
}
