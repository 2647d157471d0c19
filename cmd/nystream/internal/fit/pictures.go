package fit

import (
	"context"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Sample gathers sampled rows of a side. It does so only once.
func Sample(ctx context.Context, j *Job, side model.Side) (*Sampled, error) {
	if s := j.chartRows[side]; s != nil {
		return s, nil
	}
	rows := j.Sides.Prepared.Left
	if side == model.Right {
		rows = j.Sides.Prepared.Right
	}
	info := rows.Info()
	s := &Sampled{Total: info.Rows, Columns: info.Columns}
	var err error
	if s.Numbers, err = PlottedRows(j, s.Total); err != nil {
		return nil, err
	}
	b := &stream.Batch{X: matrix.New(len(s.Numbers), len(info.Columns))}
	if j.Data.Label != "" && len(info.Kept) > 0 {
		for _, k := range info.Kept {
			b.Kept = append(b.Kept, stream.Column{Kind: k.Kind})
		}
	}
	if err := stream.Gather(ctx, rows, s.Numbers, b); err != nil {
		return nil, err
	}
	if s.Rows = b.X; b.Kept != nil {
		s.label = &b.Kept[0] // --label is the first kept column
	}
	j.chartRows[side] = s
	return s, nil
}

// PlottedRows returns the numbers of the rows to plot out of n.
func PlottedRows(j *Job, n int64) ([]int64, error) {
	s, err := sketch.NewSample(n, int(min(n, PlotRows)), j.App.Seed, "picture")
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// Embed transforms the rows of a sample.
func Embed(ctx context.Context, j *Job, m model.Transformer, side model.Side, s *Sampled) (*chart.Embedding, error) {
	r, err := j.request(m, side)
	if err != nil {
		return nil, err
	}
	names, err := r.Names(m)
	if err != nil {
		return nil, err
	}
	u, err := model.TransformMatrix(ctx, j.App.Engine(), m, s.Rows, r)
	return &chart.Embedding{Names: names[:min(chart.PlotColumns, len(names))], U: u}, err
}
