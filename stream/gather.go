package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Gather stores the rows of src with the given numbers, which ascend strictly, in the rows of dst.
// A source that is not a [Gatherer] is skimmed: read once from the first requested row to the last.
// It returns an error for a source that can be read only once.
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

// GatherRows is [Gather] into a new matrix.
func GatherRows(ctx context.Context, src Source, rows []int64) (blas64.General, error) {
	m := matrix.New(len(rows), len(src.Info().Columns))
	return m, Gather(ctx, src, rows, &Batch{X: m})
}

// skim reads src from the first requested row to the last and keeps the requested rows.
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
		taken += copyWanted(dst, &chunk, rows, taken, start, n)
		start += int64(n)
		if err == io.EOF && taken < len(rows) {
			return endedEarlyError(info.Name, start, rows[taken])
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// chunkRows returns the number of rows per read outside a pass.
func chunkRows(info Info) int { return int(Engine{}.FetchedRows(info.Rows, len(info.Columns))) }

// FetchedRows returns the number of rows of dimension d that [Gather] buffers, besides its result,
// for a source of rows rows, -1 if unknown.
func (e Engine) FetchedRows(rows int64, d int) int64 {
	n := int64(min(1024, BlockRows(d)))
	if rows >= 0 {
		n = max(1, min(n, rows))
	}
	return n
}

// copyWanted copies the requested rows, from rows[taken] on, that are in a chunk of n rows. start
// is the number of the first row of the chunk. It returns the number of rows copied.
func copyWanted(dst, chunk *Batch, rows []int64, taken int, start int64, n int) (found int) {
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
