package main

import (
	"context"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// writeClusters writes the clusters of the left rows to the file of --clusters-output, uncommitted.
// The columns of --keep stand behind them. Without that file it is a no-op. Cost: one pass if there are
// columns to keep.
func writeClusters(ctx context.Context, j *job, labels []int) ([]pathWriter, error) {
	path := factorPath(j, "clusters-output")
	if path == "" {
		return nil, nil
	}
	var kept []stream.Field
	if len(j.data.keep) > 0 {
		kept = carried(j, path, j.sides.prepared.left)
	}
	w, err := create(j.app, path, blockstore.Schema{Columns: []string{"cluster"}, Kept: kept, Rows: int64(len(labels))})
	if err != nil {
		return nil, err
	}
	writers := []pathWriter{{w, path}}
	clusters := matrix.New(len(labels), 1)
	for i, l := range labels {
		clusters.Data[i] = float64(l)
	}
	if len(kept) == 0 {
		return writers, w.Write(&stream.Batch{X: clusters}, len(labels))
	}
	return writers, eachBlock(ctx, j.app.engine(), "clusters", j.sides.prepared.left, func(b *stream.Block) error {
		return w.Write(&stream.Batch{X: matrix.Rows(clusters, int(b.Start), b.X.Rows), Kept: b.Kept}, b.X.Rows)
	})
}
