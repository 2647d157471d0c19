package column

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Keeper is a source that can keep the rows of a small file in memory, decoded: pages of which rows are fetched would
// otherwise be read again by the next pass.
type Keeper interface {
	// Keep allows or forbids that. Rows that are kept and forbidden are given up. Text is never kept.
	Keep(allowed bool)
}

// keptRows are all rows of a file, once most of its pages are read.
type keptRows struct {
	turn    chan struct{} // has a value while a goroutine uses the fields
	allowed bool
	rows    *stream.Batch // nil until they are read
}

// take waits until no other goroutine uses the fields. It tells the pass that has opened the source with ctx that it waits,
// and returns false if ctx is done.
func (k *keptRows) take(ctx context.Context) bool {
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	for {
		select {
		case k.turn <- struct{}{}:
			return true
		case <-beat.C:
			stream.Beat(ctx)
		case <-ctx.Done():
			return false
		}
	}
}

// leave lets other goroutines use the fields.
func (k *keptRows) leave() { <-k.turn }

// Keep implements Keeper.
func (s *source) Keep(allowed bool) {
	isText := func(f stream.Field) bool { return f.Kind == stream.String }
	s.kept.take(context.Background())
	defer s.kept.leave()
	if s.kept.allowed = allowed && !slices.ContainsFunc(s.info.Kept, isText); !s.kept.allowed {
		s.kept.rows = nil
	}
}

// keptNow returns all rows, or nil if they are not kept. It reads them first if worth is true. Where they cannot be read,
// the rows that are wanted tell why.
func (s *source) keptNow(ctx context.Context, worth bool) *stream.Batch {
	if !s.kept.take(ctx) {
		return nil
	}
	defer s.kept.leave()
	if s.kept.rows == nil && s.kept.allowed && worth {
		rows, err := s.readRows(ctx)
		if err != nil {
			s.kept.allowed = false
			return nil
		}
		s.kept.rows = rows
	}
	return s.kept.rows
}

// pages returns about how many pages the file has, that is, places where a reader may begin.
func (s *source) pages() int64 { return s.info.Rows / max(1, s.info.SeekCost) }

// touchesMost reports whether most pages of the file hold one of so many rows.
func (s *source) touchesMost(rows int) bool { return s.info.SeekCost > 1 && int64(rows) >= s.pages() }

// hasFewPages reports whether readers that begin in the middle, and those of a few rows, read a good part of the file.
func (s *source) hasFewPages() bool {
	const few = 16
	return s.info.SeekCost > 1 && s.pages() < few
}

// readRows reads all rows of the file.
func (s *source) readRows(ctx context.Context) (*stream.Batch, error) {
	f, err := s.stamp.Open(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, f, true, nil)
	if err != nil {
		return nil, err
	}
	r := s.reader(ctx, f, p, 0)
	all := NewBatch(s.info, int(s.info.Rows))
	n, err := stream.ReadFull(r, all)
	if err == io.EOF {
		err = nil
	}
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err == nil && n < all.X.Rows {
		err = fault.File(s.info.Name, "it ends after %d rows", n)
	}
	return all, err
}

// keptPass goes over rows that are kept. It is over the file that they come from, which may not change.
type keptPass struct {
	file.File
	rows *stream.Batch
	at   int
}

// SkipTo implements Pass.
func (p *keptPass) SkipTo(row int64) error {
	p.at = int(row)
	return nil
}

// Next implements Pass.
func (p *keptPass) Next(dst *stream.Batch, at int) (int, error) {
	const most = 1 << 10
	n := min(most, dst.X.Rows-at, p.rows.X.Rows-p.at)
	if n == 0 && p.at == p.rows.X.Rows {
		return 0, io.EOF
	}
	for i := range n {
		copy(matrix.Row(dst.X, at+i), matrix.Row(p.rows.X, p.at+i))
	}
	for k := range dst.Kept {
		dst.Kept[k].Append(&p.rows.Kept[k], p.at, p.at+n)
	}
	p.at += n
	return n, nil
}
