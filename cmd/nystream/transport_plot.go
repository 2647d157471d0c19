package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/solvers/model"
)

// charts returns rows, targets, and where the rows are mapped, in the first two columns.
func (c *transportTask) charts(ctx context.Context, _ model.Model, _ *model.Report) ([]picture.Chart, error) {
	rows, err := c.sample(ctx, model.Left)
	if err != nil {
		return nil, err
	}
	targets := rows
	if c.prepared.right != nil {
		if targets, err = c.sample(ctx, model.Right); err != nil {
			return nil, err
		}
	}
	mapped, err := c.embedding(ctx, c.fitting.Model, model.Left, rows)
	if err != nil {
		return nil, err
	}
	p := &picture.Points{Title: fmt.Sprintf("Rows, targets, and rows as they are mapped%s", rows.words()), X: rows.columns[0], Groups: &picture.Groups{Names: []string{"rows", "mapped rows", "targets"}}}
	for k, of := range []*embedded{{u: rows.rows}, mapped, {u: targets.rows}} {
		x, y := matrixColumn(of.u, 0), make([]float64, of.u.Rows)
		if p.Y = "which"; of.u.Cols > 1 {
			p.Y, y = rows.columns[1], matrixColumn(of.u, 1)
		} else {
			for i := range y {
				y[i] = float64(k)
			}
		}
		p.At = append(p.At, pairs(x, y)...)
		for range x {
			p.Groups.Of = append(p.Groups.Of, k)
		}
	}
	return []picture.Chart{p}, nil
}
