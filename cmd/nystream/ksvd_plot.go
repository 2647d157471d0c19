package main

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// charts returns the values, and both sides in the first singular vectors: of a graph the
// nodes by the edges out of them and into them.
func (c *ksvdTask) charts(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error) {
	if c.input() == sourcesInput {
		return c.job.charts(ctx, m, r)
	}
	list := addSpectrum(nil, m.Describe(), r)
	for _, side := range []model.Side{model.Left, model.Right} {
		e, s, err := c.fittedEmbedding(ctx, side)
		if err != nil {
			return nil, err
		}
		of := map[model.Side]string{model.Left: "Rows of the matrix", model.Right: "Columns of the matrix"}[side]
		if c.job.graph != nil {
			of = map[model.Side]string{model.Left: "Nodes by the edges out of them,", model.Right: "Nodes by the edges into them,"}[side]
		}
		list = append(list, e.panels(of, s.words(), nil, nil)...)
	}
	return list, nil
}

// fittedEmbedding returns the first singular vectors at fitted rows of a side.
func (c *ksvdTask) fittedEmbedding(ctx context.Context, side model.Side) (*embedded, *sampled, error) {
	s := &sampled{of: c.fitting.Rows}
	if side == model.Right {
		s.of = c.fitting.Cols
	}
	var err error
	if s.numbers, err = plottedRows(c.job, s.of); err != nil {
		return nil, nil, err
	}
	rank := c.fitting.Rank()
	e := &embedded{numbered(map[model.Side]string{model.Left: "u", model.Right: "v"}[side], min(plotColumns, rank)), matrix.New(len(s.numbers), rank)}
	next := 0
	err = c.eachFitted(ctx, side, func(start int64, u blas64.General) error {
		for next < len(s.numbers) && s.numbers[next] < start+int64(u.Rows) {
			copy(e.u.Data[next*e.u.Stride:][:rank], u.Data[int(s.numbers[next]-start)*u.Stride:])
			next++
		}
		return nil
	})
	return e, s, err
}
