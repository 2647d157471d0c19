package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Gather puts the rows of src with the given numbers, which ascend strictly,
// into the rows of dst. Sources that are no [Gatherer] are skimmed: one reading
// from the first row wanted to the last. A source that can be read only once is
// refused.
func Gather(ctx context.Context, src Source, rows []int64, dst *Batch) error {
	if dst.X.Rows != len(rows) {
		panic("stream: gather into a batch of another size")
	}
	info := src.Info()
	if len(rows) == 0 {
		return nil
	}
	if last := rows[len(rows)-1]; rows[0] < 0 || info.Rows >= 0 && last >= info.Rows {
		panic(fmt.Sprintf("stream: gather rows %d to %d of %d", rows[0], last, info.Rows))
	}
	if info.OnePass {
		return fmt.Errorf("%s %w", info.Name, ErrReadOnce)
	}
	if g, ok := src.(Gatherer); ok {
		return g.Gather(ctx, rows, dst)
	}
	return skim(ctx, src, rows, dst)
}

// GatherRows returns [Gather] into a new matrix.
func GatherRows(ctx context.Context, src Source, rows []int64) (blas64.General, error) {
	m := matrix.New(len(rows), len(src.Info().Columns))
	return m, Gather(ctx, src, rows, &Batch{X: m})
}

// skim reads src from the first row wanted to the last and keeps the rows wanted.
func skim(ctx context.Context, src Source, rows []int64, dst *Batch) (err error) {
	info := src.Info()
	resetKept(dst.Kept)
	r, err := src.Open(ctx, rows[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	chunk := Batch{X: matrix.New(chunkRows(info), len(info.Columns))}
	if dst.Kept != nil {
		chunk.Kept = info.NewKept()
	}
	taken := 0
	for start := rows[0]; taken < len(rows); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := ReadFull(r, &chunk)
		taken += pick(dst, &chunk, rows, taken, start, n)
		start += int64(n)
		if err == io.EOF && taken < len(rows) {
			return endedEarly(info.Name, start, rows[taken])
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// chunkRows returns how many rows are read at a time outside a pass.
func chunkRows(info Info) int { return int(Engine{}.FetchedRows(info.Rows, len(info.Columns))) }

// FetchedRows returns how many rows of dimension d [Gather] holds besides those that it fetches from a source with so
// many rows, -1 for an unknown number.
func (e Engine) FetchedRows(rows int64, d int) int64 {
	n := int64(min(1024, BlockRows(d)))
	if rows >= 0 {
		n = max(1, min(n, rows))
	}
	return n
}

// pick copies from a chunk of n rows, whose first row has the number start, the
// rows wanted from rows[taken] on, and returns how many it found.
func pick(dst, chunk *Batch, rows []int64, taken int, start int64, n int) (found int) {
	for taken+found < len(rows) && rows[taken+found] < start+int64(n) {
		i := int(rows[taken+found] - start)
		copy(matrix.Row(dst.X, taken+found), matrix.Row(chunk.X, i))
		for k := range dst.Kept {
			dst.Kept[k].Append(&chunk.Kept[k], i, i+1)
		}
		found++
	}
	return found
}
