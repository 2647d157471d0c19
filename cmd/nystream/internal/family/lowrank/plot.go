package lowrank

import (
	"context"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// groupRows colours the sampled rows of charts by cluster, or by novelty; nil leaves that to --label.
func (c *task) groupRows(ctx context.Context) error {
	var (
		m      = c.fitting
		output = model.Class
		of     = func(row []float64) int { return int(row[0]) }
		names  []string
	)
	switch {
	case m.Clusters != nil:
		names = rows.Numbered("cluster ", m.Clusters.K)
	case m.Novelty != nil:
		names, output, of = []string{"ordinary", "farthest tenth", "farthest hundredth"}, model.Novelty, farthestOf
	default:
		return nil
	}
	s, err := fit.Sample(ctx, c.job, model.Left)
	if err != nil {
		return err
	}
	found, err := model.TransformMatrix(ctx, c.job.App.Engine(), m, s.Rows, model.Request{Outputs: []model.Output{output}})
	if err != nil {
		return err
	}
	c.groups = &chart.Groups{Index: make([]int, found.Rows), Names: names}
	for i := range c.groups.Index {
		c.groups.Index[i] = of(matrix.Row(found, i))
	}
	return nil
}

// farthestOf returns the group of a row from its columns of [model.Novelty], the last of which is the share of rows held
// out that are as far.
func farthestOf(row []float64) int {
	switch share := row[len(row)-1]; {
	case share <= 0.01:
		return 2
	case share <= 0.1:
		return 1
	}
	return 0
}

// marks returns the groups of groupRows, or the groups or shades of --label.
func (c *task) marks(s *fit.Sampled, side model.Side) (*chart.Groups, *chart.Shades) {
	if c.groups != nil {
		return c.groups, nil
	}
	return c.job.Marks(s, side)
}

// charts returns the common charts. It adds the columns of an explicit matrix, and replaces the values of principal
// components by a scree plot of the shares of variance.
func (c *task) charts(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error) {
	if err := c.groupRows(ctx); err != nil {
		return nil, err
	}
	list, err := c.job.Charts(ctx, m, r)
	if clusters := c.fitting.Clusters; err == nil && clusters != nil {
		most := min(len(clusters.Values), 2*clusters.K+10)
		list = append(list, &chart.Spectrum{
			Title: "Eigenvalues of the normalised matrix", X: "number", Y: "eigenvalue", Values: clusters.Values[:most],
		})
	}
	if shares := c.fitting.Explained(); err == nil && shares != nil {
		list[0] = &chart.Spectrum{Title: "Share of the variance", X: "component", Y: "share", Values: shares}
	}
	if err != nil || !c.explicit() {
		return list, err
	}
	v := c.fitting.Explicit.V
	s := &fit.Sampled{Total: int64(v.Rows)}
	if s.Numbers, err = fit.PlottedRows(c.job, s.Total); err != nil {
		return nil, err
	}
	e := &chart.Embedding{Names: rows.Numbered("v", min(chart.PlotColumns, v.Cols)), U: matrix.New(len(s.Numbers), v.Cols)}
	for i, row := range s.Numbers {
		copy(e.U.Data[i*e.U.Stride:][:v.Cols], v.Data[int(row)*v.Stride:])
	}
	return append(list, e.Panels("Columns of the matrix", s.Words(), nil, nil)...), nil
}
