package main

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// writeClusters writes a file of the numbers of clusters, from 0, of the rows of the left
// side, uncommitted. The columns of --keep stand behind them. Cost: one pass if there are any.
func (j *job) writeClusters(ctx context.Context, path string, labels []int) (pathWriter, error) {
	var kept []stream.Field
	if len(j.data.keep) > 0 {
		kept = j.carried(path, j.prepared.left)
	}
	w, err := j.create(path, blockstore.Schema{Columns: []string{"cluster"}, Kept: kept, Rows: int64(len(labels))})
	if err != nil {
		return pathWriter{}, err
	}
	if len(kept) == 0 {
		err = writeLabels(w, labels)
	} else {
		err = j.writeLabelsAndKept(ctx, w, labels)
	}
	if err != nil {
		w.Abort()
		return pathWriter{}, err
	}
	return pathWriter{w, path}, nil
}

// writeLabels writes numbers of clusters.
func writeLabels(w blockstore.Writer, labels []int) error {
	x := stream.NewMatrix(min(stream.PanelRows, len(labels)), 1)
	for part := range slices.Chunk(labels, stream.PanelRows) {
		for i, l := range part {
			x.Data[i] = float64(l)
		}
		if err := w.Write(&stream.Batch{X: stream.RowSlice(x, 0, len(part))}, len(part)); err != nil {
			return err
		}
	}
	return nil
}

// writeLabelsAndKept writes numbers of clusters, and what their rows carry along.
func (j *job) writeLabelsAndKept(ctx context.Context, w blockstore.Writer, labels []int) error {
	nothing := func() func(blas64.General, *stream.Block) error {
		return func(blas64.General, *stream.Block) error { return nil }
	}
	return stream.Map(ctx, j.engine(), "clusters", j.prepared.left, 1, true, nothing, func(b *stream.Block, x blas64.General) error {
		for i := range x.Rows {
			x.Data[i*x.Stride] = float64(labels[i])
		}
		labels = labels[x.Rows:]
		return w.Write(&stream.Batch{X: x, Kept: b.Kept}, x.Rows)
	})
}
