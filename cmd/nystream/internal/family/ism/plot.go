package ism

import (
	"context"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
)

// charts returns the common charts, with rows coloured by label or cluster, and the loadings of W.
func (c *task) charts(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error) {
	list, err := c.job.Charts(ctx, m, r)
	if err != nil {
		return nil, err
	}
	columns := min(chart.PlotColumns, c.fitting.Dim())
	weights := make([][]float64, c.fitting.W.Rows)
	for i := range weights {
		weights[i] = c.fitting.W.Data[i*c.fitting.W.Stride:][:columns]
	}
	return append(list, chart.LoadingGrid("Loadings: the columns of W", "weight", c.fitting.Columns, rows.Numbered("xw", columns), weights)), nil
}

// marks returns the classes or clusters of some rows: the labels, if there are any; nothing for real targets, or
// several labels for each row.
func (c *task) marks(s *fit.Sampled, _ model.Side) (*chart.Groups, *chart.Shades) {
	all, names := c.labels, c.classes
	if all == nil {
		all, names = c.fitting.Labels, rows.Numbered("cluster ", c.settings.Clusters)
	}
	return chart.GroupsOf(s.Numbers, all, names), nil
}
