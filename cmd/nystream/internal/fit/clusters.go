package fit

import (
	"context"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// WriteClusters writes the clusters of the left rows to the file of --clusters-output, uncommitted, followed by the
// columns of --keep. It is a no-op without that file. Cost: one pass if there are columns to keep.
func WriteClusters(ctx context.Context, j *Job, labels []int) ([]rows.PathWriter, error) {
	path := FactorPath(j, "clusters-output")
	if path == "" {
		return nil, nil
	}
	var kept []stream.Field
	if len(j.Data.Keep) > 0 {
		kept = KeptFields(j, path, j.Sides.Prepared.Left)
	}
	w, err := rows.Create(j.App, path, blockstore.Schema{Columns: []string{"cluster"}, Kept: kept, Rows: int64(len(labels))})
	if err != nil {
		return nil, err
	}
	writers := []rows.PathWriter{{Output: w, Path: path}}
	clusters := matrix.New(len(labels), 1)
	for i, l := range labels {
		clusters.Data[i] = float64(l)
	}
	if len(kept) == 0 {
		return writers, w.Write(&stream.Batch{X: clusters}, len(labels))
	}
	return writers, rows.EachBlock(ctx, j.App.Engine(), "clusters", j.Sides.Prepared.Left, func(b *stream.Block) error {
		return w.Write(&stream.Batch{X: matrix.Rows(clusters, int(b.Start), b.X.Rows), Kept: b.Kept}, b.X.Rows)
	})
}
