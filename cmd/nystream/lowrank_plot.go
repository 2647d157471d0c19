package main

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// charts returns those of any model; of a matrix that was read its columns too, and of principal
// components a scree plot of the shares of variance instead of the values.
func (c *lowrankTask) charts(ctx context.Context, m model.Model, r *model.Report) ([]picture.Chart, error) {
	list, err := c.job.charts(ctx, m, r)
	if shares := c.fitting.Explained(); err == nil && shares != nil {
		list[0] = &picture.Spectrum{Title: "Share of the variance", X: "component", Y: "share", Values: shares}
	}
	if err != nil || !c.explicit() {
		return list, err
	}
	v := c.fitting.Explicit.V
	s := &sampled{of: int64(v.Rows)}
	if s.numbers, err = c.plottedRows(s.of); err != nil {
		return nil, err
	}
	columns := min(plotColumns, v.Cols)
	e := &embedded{numbered("v", columns), stream.NewMatrix(len(s.numbers), columns)}
	for i, row := range s.numbers {
		e.put(i, blas64.General{Rows: 1, Cols: v.Cols, Stride: v.Stride, Data: v.Data[int(row)*v.Stride:]}, 0)
	}
	return append(list, e.panels("Columns of the matrix", s.words(), nil, nil)...), nil
}
