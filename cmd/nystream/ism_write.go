package main

import (
	"context"
	"errors"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// write writes clusters and picture, and last of all the model. Nothing of what it has
// written stays when something fails.
func (j *ismJob) write(ctx context.Context) error {
	var done []string
	for _, f := range []struct {
		path  string
		write func(context.Context, string) error
	}{{j.cmd.clusters, j.writeClusters}, {j.cmd.plot, j.draw}, {j.cmd.output, j.writeModel}} {
		if f.path == "" {
			continue
		}
		if err := f.write(ctx, f.path); err != nil {
			return errors.Join(err, removeAll(done))
		}
		done = append(done, f.path)
	}
	return nil
}

func (j *ismJob) writeModel(ctx context.Context, path string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return j.model().write(path)
}

// writeClusters writes the cluster of each row, a number from 0.
func (j *ismJob) writeClusters(_ context.Context, path string) error {
	labels := j.fit.Labels
	w, err := blockstore.Create(path, blockstore.Schema{Columns: []string{"cluster"}, Rows: int64(len(labels))})
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	const rows = stream.PanelRows
	x := stream.NewMatrix(min(rows, len(labels)), 1)
	for first := 0; first < len(labels); first += rows {
		n := min(rows, len(labels)-first)
		for i, l := range labels[first : first+n] {
			x.Data[i] = float64(l)
		}
		if err := w.Write(&stream.Batch{X: stream.RowSlice(x, 0, n)}, n); err != nil {
			return err
		}
	}
	return w.Commit()
}
