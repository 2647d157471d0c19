package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// judged returns the figures that say most about new samples, and what they are of; nil if
// there are none.
func (c *asklsTask) judged() (tally *metrics.Tally, of string) {
	switch t := &c.told; {
	case t.test.Rows() > 0:
		return &t.test, "test"
	case t.outOfFold.Rows() > 0:
		return &t.outOfFold, "out of fold"
	case t.train.Rows() > 0:
		return &t.train, "training"
	}
	return nil, ""
}

func (c *asklsTask) score(*model.Report) string {
	t, of := c.judged()
	if t == nil {
		return ""
	}
	accuracy, err := t.Accuracy()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("accuracy %.3f (%s)", accuracy, of)
}

// charts returns the confusion matrix, and samples by what the functions of source and
// target say of two classes, and by the decisions.
func (c *asklsTask) charts(ctx context.Context, _ model.Model, _ *model.Report) (list []picture.Chart, err error) {
	if t, of := c.judged(); t != nil {
		grid, err := c.confusion(t, of)
		if err != nil {
			return nil, err
		}
		list = append(list, grid)
	}
	if c.states.folder != "" {
		return list, nil // other machines have the rows
	}
	rows, s, err := c.plottedSamples(ctx)
	if err != nil {
		return nil, err
	}
	both := stream.NewMatrix(len(s.numbers), 2*len(c.known.classes))
	decisions := stream.NewMatrix(len(s.numbers), len(c.known.classes))
	row := 0
	err = c.fitting.Evaluate(ctx, c.engine(), rows, false, func(_ *stream.Block, out blas64.General) error {
		copyRows(both, row, out)
		row += out.Rows
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.fitting.Decide(decisions, both)
	groups := groupsOf(s.numbers, c.known.labels, c.known.classes)
	first, second := c.drawnClasses()
	k := len(c.known.classes)
	for _, part := range []struct {
		title string
		of    blas64.General
		from  int
	}{{"Function of the source", both, 0}, {"Function of the target", both, k}, {"Decisions, merged from both", decisions, 0}} {
		list = append(list, &picture.Points{Title: part.title + s.words(), X: "for " + c.known.classes[first], Y: "for " + c.known.classes[second],
			At: pairs(matrixColumn(part.of, part.from+first), matrixColumn(part.of, part.from+second)), Groups: groups})
	}
	return list, nil
}

// drawnClasses returns the two classes of which there is most to learn from.
func (c *asklsTask) drawnClasses() (first, second int) {
	sizes := c.known.sizes()
	second = 1
	for k, n := range sizes {
		switch {
		case k > 0 && n > sizes[first]:
			first, second = k, first
		case k > 1 && n > sizes[second]:
			second = k
		}
	}
	return min(first, second), max(first, second)
}

// copyRows copies rows to dst from a row on.
func copyRows(dst blas64.General, row int, src blas64.General) {
	for i := range src.Rows {
		copy(dst.Data[(row+i)*dst.Stride:][:dst.Cols], src.Data[i*src.Stride:][:src.Cols])
	}
}

// plottedSamples returns samples that a picture shows.
func (c *asklsTask) plottedSamples(ctx context.Context) (askls.Rows, *sampled, error) {
	if c.input() == "" {
		s, err := c.sample(ctx, model.Left)
		if err != nil {
			return askls.Rows{}, nil, err
		}
		return askls.NewSamples(stream.FromMatrix("rows of the picture", s.rows)), s, nil
	}
	s := &sampled{of: int64(len(c.known.labels))}
	var err error
	if s.numbers, err = c.plottedRows(s.of); err != nil {
		return askls.Rows{}, nil, err
	}
	return askls.NewNodes(c.dataName(), c.matrixOf, s.numbers), s, nil
}

// confusion returns the confusion matrix of a tally.
func (c *asklsTask) confusion(t *metrics.Tally, of string) (picture.Chart, error) {
	found, err := t.Confusion()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range found.Classes {
		names = append(names, c.known.classes[k])
	}
	title := fmt.Sprintf("Confusion matrix, %s %s samples", show.Count(t.Rows()), of)
	return confusionGrid(title, "true class", "chosen class", found.Counts, names, names), nil
}
