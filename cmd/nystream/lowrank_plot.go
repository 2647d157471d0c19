package main

import (
	"context"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// groupClusters colours the rows of pictures by their cluster, unless --label does.
func (c *lowrankTask) groupClusters(ctx context.Context) error {
	if c.fitting.Clusters == nil || c.job.data.label != "" {
		return nil
	}
	s, err := sample(ctx, c.job, model.Left)
	if err != nil {
		return err
	}
	r := model.Request{Kinds: []model.Kind{model.Class}}
	labels, err := model.TransformMatrix(ctx, c.job.app.engine(), c.fitting, s.rows, r)
	if err != nil {
		return err
	}
	c.groups = &chart.Groups{Of: make([]int, labels.Rows), Names: numbered("cluster ", c.fitting.Clusters.K)}
	for i := range c.groups.Of {
		c.groups.Of[i] = int(labels.Data[i])
	}
	return nil
}

// marks returns the clusters of rows, or what --label says.
func (c *lowrankTask) marks(s *sampled, side model.Side) (*chart.Groups, *chart.Shades) {
	if c.groups != nil {
		return c.groups, nil
	}
	return c.job.marks(s, side)
}

// charts returns those of any model; of a matrix that was read its columns too, and of principal
// components a scree plot of the shares of variance instead of the values.
func (c *lowrankTask) charts(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error) {
	if err := c.groupClusters(ctx); err != nil {
		return nil, err
	}
	list, err := c.job.charts(ctx, m, r)
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
	s := &sampled{of: int64(v.Rows)}
	if s.numbers, err = plottedRows(c.job, s.of); err != nil {
		return nil, err
	}
	e := &embedded{numbered("v", min(plotColumns, v.Cols)), matrix.New(len(s.numbers), v.Cols)}
	for i, row := range s.numbers {
		copy(e.u.Data[i*e.u.Stride:][:v.Cols], v.Data[int(row)*v.Stride:])
	}
	return append(list, e.panels("Columns of the matrix", s.words(), nil, nil)...), nil
}
