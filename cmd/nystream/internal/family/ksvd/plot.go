package ksvd

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
)

// charts returns the values, and the rows of both sides in the first singular vectors; for a graph the nodes by their
// outgoing and incoming edges.
func (c *task) charts(ctx context.Context, m model.Model, r *model.Report) ([]chart.Chart, error) {
	if c.input() == saved.SourcesInput {
		return c.job.Charts(ctx, m, r)
	}
	list := chart.AddSpectrum(nil, m.Describe(), r)
	for _, side := range []model.Side{model.Left, model.Right} {
		e, s, err := c.fittedEmbedding(ctx, side)
		if err != nil {
			return nil, err
		}
		of := map[model.Side]string{model.Left: "Rows of the matrix", model.Right: "Columns of the matrix"}[side]
		if c.job.Graph != nil {
			of = map[model.Side]string{model.Left: "Nodes by the edges out of them,", model.Right: "Nodes by the edges into them,"}[side]
		}
		list = append(list, e.Panels(of, s.Words(), nil, nil)...)
	}
	return list, nil
}

// fittedEmbedding returns the first singular vectors at fitted rows of a side.
func (c *task) fittedEmbedding(ctx context.Context, side model.Side) (*chart.Embedding, *fit.Sampled, error) {
	s := &fit.Sampled{Total: c.fitting.Rows}
	if side == model.Right {
		s.Total = c.fitting.Cols
	}
	var err error
	if s.Numbers, err = fit.PlottedRows(c.job, s.Total); err != nil {
		return nil, nil, err
	}
	rank := c.fitting.Rank()
	e := &chart.Embedding{Names: rows.Numbered(map[model.Side]string{model.Left: "u", model.Right: "v"}[side], min(chart.PlotColumns, rank)), U: matrix.New(len(s.Numbers), rank)}
	next := 0
	err = c.eachFitted(ctx, side, func(start int64, u blas64.General) error {
		for next < len(s.Numbers) && s.Numbers[next] < start+int64(u.Rows) {
			copy(e.U.Data[next*e.U.Stride:][:rank], u.Data[int(s.Numbers[next]-start)*u.Stride:])
			next++
		}
		return nil
	})
	return e, s, err
}
