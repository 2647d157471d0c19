package main

import (
	"context"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// sample fetches sampled rows of a side by number, once.
func sample(ctx context.Context, j *job, side model.Side) (*sampled, error) {
	if s := j.shown[side]; s != nil {
		return s, nil
	}
	rows := j.sides.prepared.left
	if side == model.Right {
		rows = j.sides.prepared.right
	}
	info := rows.Info()
	s := &sampled{of: info.Rows, columns: info.Columns}
	var err error
	if s.numbers, err = plottedRows(j, s.of); err != nil {
		return nil, err
	}
	b := &stream.Batch{X: matrix.New(len(s.numbers), len(info.Columns))}
	if j.data.label != "" && len(info.Kept) > 0 {
		for _, k := range info.Kept {
			b.Kept = append(b.Kept, stream.Column{Kind: k.Kind})
		}
	}
	if err := stream.Gather(ctx, rows, s.numbers, b); err != nil {
		return nil, err
	}
	if s.rows = b.X; b.Kept != nil {
		s.label = &b.Kept[0] // --label is kept first
	}
	j.shown[side] = s
	return s, nil
}

// plottedRows returns the numbers of the sampled rows out of n.
func plottedRows(j *job, n int64) ([]int64, error) {
	s, err := sketch.NewSample(n, int(min(n, plotRows)), j.app.seed, "picture")
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// embedding transforms the rows of a sample.
func embedding(ctx context.Context, j *job, m model.Transformer, side model.Side, s *sampled) (*embedded, error) {
	r, err := j.request(m, side)
	if err != nil {
		return nil, err
	}
	names, err := r.Names(m)
	if err != nil {
		return nil, err
	}
	u, err := model.TransformMatrix(ctx, j.app.engine(), m, s.rows, r)
	return &embedded{names[:min(plotColumns, len(names))], u}, err
}
