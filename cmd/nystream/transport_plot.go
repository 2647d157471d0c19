package main

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// charts returns rows, mapped rows and targets in the first two columns.
func (c *transportTask) charts(ctx context.Context, _ model.Model, _ *model.Report) ([]chart.Chart, error) {
	rows, err := sample(ctx, c.job, model.Left)
	if err != nil {
		return nil, err
	}
	targets := rows
	if c.job.sides.prepared.right != nil {
		if targets, err = sample(ctx, c.job, model.Right); err != nil {
			return nil, err
		}
	}
	mapped, err := embedding(ctx, c.job, c.fitting.Model, model.Left, rows)
	if err != nil {
		return nil, err
	}
	p := &chart.Points{Title: fmt.Sprintf("Rows, targets, and rows as they are mapped%s", rows.words()), X: rows.columns[0],
		Groups: &chart.Groups{Names: []string{"rows", "mapped rows", "targets"}}}
	var x, y []float64
	for k, u := range []blas64.General{rows.rows, mapped.u, targets.rows} {
		x = append(x, matrix.Column(u, 0)...)
		y = append(y, matrix.Column(u, min(1, u.Cols-1))...)
		p.Groups.Of = append(p.Groups.Of, slices.Repeat([]int{k}, u.Rows)...)
	}
	if p.Y, p.At = heights(x, p.Groups); len(rows.columns) > 1 {
		p.Y, p.At = rows.columns[1], pairs(x, y)
	}
	return []chart.Chart{p}, nil
}
