package prepare

import (
	"context"
	"fmt"
	"io"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/opening"
	"github.com/nystream/nystream/stream"
)

// gatherKept gathers rows by their numbers after dropping. It reads and cleans each raw block that
// holds a requested row. A source without random access is skimmed.
func (s *Source) gatherKept(ctx context.Context, rows []int64, dst *stream.Batch) (err error) {
	if s.kept == nil {
		return fmt.Errorf("%s %w", s.info.Name, stream.ErrReadOnce)
	}
	if s.info.SeekCost == 0 {
		return stream.Gather(ctx, withoutGather{s}, rows, dst)
	}
	for k := range dst.Kept {
		dst.Kept[k].Reset()
	}
	blocks := s.newRawBlocks(dst.Kept != nil)
	defer func() {
		if closed := blocks.close(); err == nil {
			err = closed
		}
	}()
	for taken := 0; taken < len(rows); {
		start, before := s.kept.find(rows[taken])
		chunk, left, err := blocks.clean(ctx, start)
		if err != nil {
			return err
		}
		if rows[taken] >= before+int64(left) {
			return fmt.Errorf("%s: row %d is gone: the file changed", s.info.Name, rows[taken])
		}
		for ; taken < len(rows) && rows[taken] < before+int64(left); taken++ {
			i := int(rows[taken] - before)
			copy(matrix.Row(dst.X, taken), matrix.Row(chunk.X, i))
			for k := range dst.Kept {
				dst.Kept[k].Append(&chunk.Kept[k], i, i+1)
			}
		}
	}
	return nil
}

// rawBlocks reads blocks of raw rows in ascending order. It continues with the same reader as long
// as that costs no more than seeking, so that each page of a file is read once.
type rawBlocks struct {
	source *Source
	chunk  stream.Batch // the current block, cleaned
	raw    rawRows
	r      stream.Reader // nil if none is open
	row    int64         // the raw row that r returns next, the first of a block
}

// newRawBlocks returns a reader of raw blocks, with or without the kept columns.
func (s *Source) newRawBlocks(kept bool) *rawBlocks {
	b := &rawBlocks{source: s, chunk: stream.Batch{X: matrix.New(int(min(s.kept.blockRows, s.kept.raw)), len(s.info.Columns))}}
	if kept {
		b.chunk.Kept = s.info.NewKept()
	}
	return b
}

// clean reads and cleans the block that begins at start. left is the number of rows that remain.
// The chunk is valid until the next call.
func (b *rawBlocks) clean(ctx context.Context, start int64) (chunk *stream.Batch, left int, err error) {
	s, raw := b.source, (*stream.Batch)(nil)
	if b.r == nil || start < b.row || start-b.row > s.src.Info().SeekCost {
		if err := b.close(); err != nil {
			return nil, 0, err
		}
		if b.r, err = s.src.Open(opening.Look(ctx), start); err != nil {
			return nil, 0, err
		}
		b.row = start
	}
	for b.row <= start {
		chunk = &stream.Batch{X: matrix.Rows(b.chunk.X, 0, int(min(s.kept.blockRows, s.kept.raw-b.row))), Kept: b.chunk.Kept}
		raw = s.raw(chunk, &b.raw)
		n, err := stream.ReadFull(b.r, raw)
		b.row += int64(n)
		if err == io.EOF && n < chunk.X.Rows {
			return nil, 0, fmt.Errorf("%s: %d rows were counted, and it ends after %d: the file changed", s.info.Name, s.kept.raw, b.row)
		}
		if err != nil && err != io.EOF {
			return nil, 0, err
		}
	}
	left, err = s.clean(chunk, raw, chunk.X.Rows, false, func(i int) int64 { return start + int64(i) })
	return chunk, left, err
}

// close closes the open reader.
func (b *rawBlocks) close() error {
	if b.r == nil {
		return nil
	}
	r := b.r
	b.r = nil
	return r.Close()
}
