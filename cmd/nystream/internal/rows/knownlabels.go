package rows

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// KnownLabels has the classes of samples, divided into training and test samples.
type KnownLabels struct {
	Labels      []int // class of each sample, -1 if unknown
	Classes     []string
	Train, test []int64 // numbers of samples, ascending; train is nil for all
}

// NewKnownLabels divides the samples of known class: a fraction of each class is for training, or all if the fraction
// is 0.
func NewKnownLabels(labels []int, classes []string, fraction float64, seed uint64) (KnownLabels, error) {
	k := KnownLabels{Labels: labels, Classes: classes}
	var known []int64
	for i, l := range labels {
		if l >= 0 {
			known = append(known, int64(i))
		}
	}
	if fraction == 0 {
		if len(known) < len(labels) {
			k.Train = known
		}
		return k, nil
	}
	divided, err := split.StratifiedRandom(k.labelsOf(known), 1-fraction, 1, seed)
	if err != nil {
		return k, flags.Usagef("--train-fraction %v: %w", fraction, err)
	}
	for _, i := range divided[0].Train {
		k.Train = append(k.Train, known[i])
	}
	for _, i := range divided[0].Test {
		k.test = append(k.test, known[i])
	}
	return k, nil
}

// labelsOf returns the classes of some samples.
func (k *KnownLabels) labelsOf(samples []int64) []int {
	labels := make([]int, len(samples))
	for i, s := range samples {
		labels[i] = k.Labels[s]
	}
	return labels
}

// TrainLabels returns the classes of the training samples.
func (k *KnownLabels) TrainLabels() []int {
	if k.Train == nil {
		return k.Labels
	}
	return k.labelsOf(k.Train)
}

// Sizes returns the number of training samples of each class.
func (k *KnownLabels) Sizes() []int {
	sizes := make([]int, len(k.Classes))
	for _, l := range k.TrainLabels() {
		sizes[l]++
	}
	return sizes
}

// Notes returns sentences for the user.
func (k *KnownLabels) Notes(unit string) (notes []string) {
	if unknown := len(k.Labels) - len(k.TrainLabels()) - len(k.test); unknown > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s %s have no label: nothing is learnt from them", report.Count(int64(unknown)), report.Count(int64(len(k.Labels))), unit))
	}
	var none []string
	for c, n := range k.Sizes() {
		if n == 0 {
			none = append(none, k.Classes[c])
		}
	}
	if len(none) > 0 {
		notes = append(notes, "classes of which there is nothing to learn from, all their samples being test samples: "+report.Words(none))
	}
	return notes
}

// labelColumns are the names tried for the label column in a file of nodes. If none exists, it is the second column.
var labelColumns = []string{"label", "class", "y"}

// ReadNodeLabels reads nodes and their labels from a text file. column is the name of the label column, "" to try
// labelColumns.
func ReadNodeLabels(ctx context.Context, a *app.App, path, column string, l blockstore.Layout) (nodes []string, labels *AnnotationValues, err error) {
	o := graph.Options{Session: a.Session.Internal(), Layout: l}
	if nodes, err = graph.ReadNodes(ctx, path, "", o); err != nil {
		return nil, nil, app.FromData(err)
	}
	columns := append(slices.Clone(labelColumns), "1")
	if column != "" {
		columns = []string{column}
	}
	var words []string
	for _, name := range columns {
		if words, err = graph.ReadWords(ctx, path, name, o); err == nil {
			column = name
			break
		}
	}
	if err != nil {
		return nil, nil, app.FromData(err)
	}
	if len(words) == len(nodes)-1 { // the column name indicates a header
		nodes = nodes[1:]
	}
	if len(words) != len(nodes) {
		return nil, nil, stream.NewDataError(path, "%d nodes and %d labels", len(nodes), len(words)).
			WithRemedy("without a header name the column of the labels by number")
	}
	seen := make(map[string]bool, len(nodes))
	for i, name := range nodes {
		if seen[name] {
			return nil, nil, stream.NewValueError(path, int64(i), "", "the node %s has a label already", name).WithRemedy("list each node once")
		}
		seen[name] = true
	}
	return nodes, &AnnotationValues{Annotation: Annotation{Flag: "--labels", File: path, Columns: []string{column}}, Source: path, Values: []stream.Column{columnOf(words)}}, nil
}

// columnOf converts words to a column like one in a file of rows: integers if all are, else numbers if all are.
func columnOf(words []string) stream.Column {
	whole, numbers := stream.Column{Kind: stream.Int64}, stream.Column{Kind: stream.Float64}
	for _, w := range words {
		if v, err := strconv.ParseInt(w, 10, 64); err == nil && strconv.FormatInt(v, 10) == w {
			whole.Ints = append(whole.Ints, v)
		}
		if v, ok := plainNumber(w); ok {
			numbers.Floats = append(numbers.Floats, v)
		}
	}
	switch len(words) {
	case len(whole.Ints):
		return whole
	case len(numbers.Floats):
		return numbers
	}
	return stream.Column{Kind: stream.String, Strings: words}
}

// maxExactInteger is the bound below which float64 represents every integer.
const maxExactInteger = 1 << 53

// plainNumber parses a decimal number. It rejects words with leading zeros, such as 007, and integers that float64
// cannot represent, since these are names.
func plainNumber(word string) (float64, bool) {
	digits := strings.TrimLeft(word, "+-")
	if strings.Trim(digits, "0123456789.eE+-") != "" || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return 0, false
	}
	v, err := strconv.ParseFloat(word, 64)
	return v, err == nil && math.Abs(v) < maxExactInteger
}

// NodeLabels returns the label of each node of a graph, -1 for none, and the first labelled node that is not in the
// graph, "" for none.
func NodeLabels(g *graph.Graph, nodes []string, labels []int) (labelOf []int, unknown string) {
	number := make(map[string]int, len(nodes))
	for i, name := range nodes {
		number[name] = labels[i]
	}
	labelOf = make([]int, g.Adjacency.Rows)
	found := 0
	for i := range labelOf {
		labelOf[i] = -1
		if l, ok := number[g.Name(i)]; ok {
			labelOf[i] = l
			found++
		}
	}
	if found < len(number) {
		for i := range labelOf {
			delete(number, g.Name(i))
		}
		for _, name := range nodes {
			if _, left := number[name]; left {
				return labelOf, name
			}
		}
	}
	return labelOf, ""
}

// Tallies returns a function that selects the tally of a sample, nil without a label. It must be called with ascending
// samples.
func (k *KnownLabels) Tallies(train, test *metrics.Tally) func(sample int64) *metrics.Tally {
	left := k.test
	return func(sample int64) *metrics.Tally {
		for len(left) > 0 && left[0] < sample {
			left = left[1:]
		}
		switch {
		case k.Labels[sample] < 0:
			return nil
		case len(left) > 0 && left[0] == sample:
			return test
		}
		return train
	}
}
