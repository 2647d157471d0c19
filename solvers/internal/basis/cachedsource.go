package basis

import (
	"context"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// CachedSource is a source with some of its rows in memory. [Gather] fetches only the others: in a paged file, fetching
// rows twice reads most pages twice.
type CachedSource struct {
	stream.Source
	Panels []*Panel // the rows in memory
}

// Gather implements [stream.Gatherer].
func (a CachedSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if len(dst.Kept) > 0 {
		return stream.Gather(ctx, a.Source, rows, dst)
	}
	var missing []int64
	var places []int
	for i, r := range rows {
		if row := a.find(r); row != nil {
			copy(matrix.Row(dst.X, i), row)
		} else {
			missing, places = append(missing, r), append(places, i)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	fetched, err := stream.GatherRows(ctx, a.Source, missing)
	if err != nil {
		return err
	}
	for k, i := range places {
		copy(matrix.Row(dst.X, i), matrix.Row(fetched, k))
	}
	return nil
}

// find returns a row in memory, or nil.
func (a CachedSource) find(number int64) []float64 {
	for _, p := range a.Panels {
		if i, found := slices.BinarySearch(p.Number, number); found {
			return matrix.Row(p.Rows, i)
		}
	}
	return nil
}
