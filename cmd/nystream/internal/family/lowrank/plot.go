package lowrank

import (
	"context"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// groupClusters colours the rows of charts by their cluster, unless --label does.
func (c *task) groupClusters(ctx context.Context) error {
	if c.fitting.Clusters == nil {
		return nil
	}
	s, err := fit.Sample(ctx, c.job, model.Left)
	if err != nil {
		return err
	}
	r := model.Request{Outputs: []model.Output{model.Class}}
	labels, err := model.TransformMatrix(ctx, c.job.App.Engine(), c.fitting, s.Rows, r)
	if err != nil {
		return err
	}
	c.groups = &chart.Groups{Index: make([]int, labels.Rows), Names: rows.Numbered("cluster ", c.fitting.Clusters.K)}
	for i := range c.groups.Index {
		c.groups.Index[i] = int(labels.Data[i])
	}
	return nil
}

// marks returns the clusters of rows, or the groups of --label.
func (c *task) marks(s *fit.Sampled, side model.Side) (*chart.Groups, *chart.Shades) {
	if c.groups != nil {
		return c.groups, nil
	}
	return c.job.Marks(s, side)
}

// charts returns the common charts. It adds the columns of an explicit matrix, and replaces the values of principal
// components by a scree plot of the shares of variance.
func (c *task) charts(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error) {
	if err := c.groupClusters(ctx); err != nil {
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
