package askls

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
)

// bestTally returns the tally most relevant for new samples, with its description; nil if there is none.
func bestTally(c *task) (tally *metrics.Tally, of string) {
	switch t := &c.scores; {
	case t.test.Rows() > 0:
		return &t.test, "test"
	case t.outOfFold.Rows() > 0:
		return &t.outOfFold, "out of fold"
	case t.train.Rows() > 0:
		return &t.train, "training"
	}
	return nil, ""
}

// charts returns the confusion matrix, and rows by their decisions.
func (c *task) charts(ctx context.Context, m model.Model, r *model.Report) (list []chart.Chart, err error) {
	if t, of := bestTally(c); t != nil {
		grid, err := confusionOf(c, t, of)
		if err != nil {
			return nil, err
		}
		list = append(list, grid)
	}
	if c.input() != "" || c.job.States.Folder != "" { // for states, the rows are on other machines
		return list, nil
	}
	rows, err := c.job.Charts(ctx, m, r)
	return append(list, rows...), err
}

// marks returns the classes of some rows.
func (c *task) marks(s *fit.Sampled, _ model.Side) (*chart.Groups, *chart.Shades) {
	return chart.GroupsOf(s.Numbers, c.labels.Labels, c.labels.Classes), nil
}

// confusionOf returns the confusion matrix of a tally.
func confusionOf(c *task, t *metrics.Tally, of string) (chart.Chart, error) {
	found, err := t.Confusion()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range found.Classes {
		names = append(names, c.labels.Classes[k])
	}
	title := fmt.Sprintf("Confusion matrix, %s %s samples", report.Count(t.Rows()), of)
	return chart.ConfusionGrid(title, "true class", "chosen class", found.Counts, names), nil
}
