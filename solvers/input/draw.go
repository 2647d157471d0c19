package input

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// KnownRows returns the number of rows of a source. It fails unless the source can be read repeatedly, knows its
// numbers of rows and columns, and has at least one of each.
func KnownRows(src stream.Source) (int64, error) {
	info := src.Info()
	switch {
	case info.OnePass:
		return 0, fmt.Errorf("%s %w", info.Name, stream.ErrReadOnce)
	case info.Rows < 0:
		return 0, fmt.Errorf("%s: %w", info.Name, stream.ErrUnknownRows)
	case info.Rows == 0:
		return 0, fmt.Errorf("%s has no rows", info.Name)
	case len(info.Columns) == 0:
		return 0, fmt.Errorf("%s has no numeric columns", info.Name)
	}
	return info.Rows, nil
}

// DrawRows returns at most n rows of a source, drawn uniformly without replacement, in ascending order. Draws with the
// same seed and different purposes are independent.
func DrawRows(ctx context.Context, src stream.Source, n int, seed uint64, purpose string) (blas64.General, error) {
	rows, err := KnownRows(src)
	if err != nil {
		return blas64.General{}, err
	}
	s, err := sketch.NewSample(rows, int(min(rows, int64(n))), seed, purpose)
	if err != nil {
		return blas64.General{}, err
	}
	return gatherFinite(ctx, src, s.Positions())
}

// gatherFinite fetches rows by ascending number. A number that is not finite is a [stream.DataError].
func gatherFinite(ctx context.Context, src stream.Source, rows []int64) (blas64.General, error) {
	x, err := stream.GatherRows(ctx, src, rows)
	if err == nil {
		err = InSource(src.Info(), sketch.CheckFinite(x), Numbers{List: rows})
	}
	return x, err
}

// DrawWeighted is [DrawRows] with row weights from a kept column: a row of weight k counts as k rows, and one of weight
// 0 is never drawn. If all weights are 1, the sample is that of DrawRows. Cost: two passes.
func DrawWeighted(ctx context.Context, e stream.Engine, src stream.Source, weights string, n int, seed uint64,
	purpose string) (blas64.General, error) {
	if _, err := KnownRows(src); err != nil {
		return blas64.General{}, err
	}
	copies, err := prepare.CountCopies(ctx, e, src, weights)
	if err != nil {
		return blas64.General{}, err
	}
	rows, err := drawCopies(ctx, e, copies, n, seed, purpose)
	if err != nil {
		return blas64.General{}, err
	}
	return gatherRepeated(ctx, rows, func(ctx context.Context, rows []int64) (blas64.General, error) {
		return gatherFinite(ctx, src, rows)
	})
}

// DrawShares is [DrawWeighted] for weights in memory that matter only up to scale: the smallest positive weight counts
// as one row. At least one weight must be positive. gather fetches rows by ascending number.
func DrawShares(ctx context.Context, weights []float64, n int, seed uint64, purpose string,
	gather func(ctx context.Context, rows []int64) (blas64.General, error)) (blas64.General, error) {
	least := math.Inf(1)
	for _, w := range weights {
		if w > 0 {
			least = min(least, w)
		}
	}
	relative := make([]float64, len(weights))
	for i, w := range weights {
		relative[i] = w / least
	}
	rows, err := drawCopies(ctx, stream.Engine{}, prepare.CopiesOf(relative), n, seed, purpose)
	if err != nil {
		return blas64.General{}, err
	}
	return gatherRepeated(ctx, rows, gather)
}

// drawCopies draws at most n copies, and returns the numbers of their rows, ascending.
func drawCopies(ctx context.Context, e stream.Engine, copies *prepare.Copies, n int, seed uint64, purpose string) ([]int64, error) {
	s, err := sketch.NewSample(copies.Count(), int(min(copies.Count(), int64(n))), seed, purpose)
	if err != nil {
		return nil, err
	}
	return copies.Rows(ctx, e, s.Positions())
}

// gatherRepeated gathers rows by ascending numbers, which may repeat.
func gatherRepeated(ctx context.Context, rows []int64,
	gather func(ctx context.Context, rows []int64) (blas64.General, error)) (blas64.General, error) {
	different := slices.Compact(slices.Clone(rows))
	x, err := gather(ctx, different)
	if err != nil || len(different) == len(rows) {
		return x, err
	}
	all, at := matrix.New(len(rows), x.Cols), 0
	for i, r := range rows {
		if different[at] != r {
			at++
		}
		copy(matrix.Row(all, i), matrix.Row(x, at))
	}
	return all, nil
}
