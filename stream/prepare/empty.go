package prepare

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// scanColumns scans src. If some columns have no finite value, it scans again without them, and returns their names. It
// also returns the number of passes. It fails if all weights are 0, or if no column is left.
func scanColumns(ctx context.Context, e stream.Engine, src stream.Source, t Treatment, categories []int) (stats *columnStats,
	empty []string, passes int, err error) {
	if stats, err = scan(ctx, e, src, t, nil, categories); err != nil {
		return nil, nil, 0, err
	}
	info := src.Info()
	switch {
	case stats.rows > 0 && stats.absent == stats.rows:
		return nil, nil, 0, stream.NewDataError(info.Name, "all weights are 0")
	case stats.copies.Total > math.MaxFloat64:
		return nil, nil, 0, stream.NewDataError(info.Name, "the sum of `Treatment.Weights` is beyond the range of float64").WithRemedy("divide them")
	}
	places := make([]int, 0, len(info.Columns))
	for j := range stats.columns {
		if stats.columns[j].Seen > 0 || stats.rows == 0 || t.AllColumns {
			places = append(places, j)
		} else {
			empty = append(empty, info.Columns[j])
		}
	}
	if len(empty) == 0 {
		return stats, nil, 1, nil
	}
	if len(places)+len(categories) == 0 {
		return nil, nil, 0, stream.NewDataError(info.Name, "no column of numbers has a finite value in any row")
	}
	stats, err = scan(ctx, e, src, t, places, categories)
	return stats, empty, 2, err
}

// beginRows is the maximal number of rows that [beginsEmpty] reads; it reads fewer of wide sources.
const beginRows = 64

// beginsEmpty reports whether a column has no finite value in the first rows. It ignores read errors, which the pass
// reports.
func beginsEmpty(ctx context.Context, src stream.Source) bool {
	info := src.Info()
	d := len(info.Columns)
	if d == 0 || info.Rows == 0 {
		return false
	}
	b := stream.Batch{X: matrix.New(min(beginRows, max(1, chunkNumbers/d)), d), Kept: info.NewKept()}
	n, err := stream.ReadRows(ctx, src, 0, &b)
	if err != nil && !errors.Is(err, io.EOF) || n == 0 {
		return false
	}
	seen := make([]bool, d)
	for i := range n {
		for j, v := range matrix.Row(b.X, i) {
			seen[j] = seen[j] || matrix.IsFinite(v)
		}
	}
	return slices.Contains(seen, false)
}

// chunkNumbers bounds the numbers that [beginsEmpty] reads.
const chunkNumbers = 1 << 20

// copyAt copies the values of x at the given indices into dst.
func copyAt(dst, x []float64, places []int) {
	for j, p := range places {
		dst[j] = x[p]
	}
}
