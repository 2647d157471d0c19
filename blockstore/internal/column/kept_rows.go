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

// Keeper is a source that can cache the decoded rows of a small file. Otherwise pages with gathered
// rows would be read again by the next pass.
type Keeper interface {
	// Keep allows or forbids caching. Forbidding it releases cached rows. Text is never cached.
	Keep(allowed bool)
}

// keptRows caches all rows of a file once most of its pages have been read.
type keptRows struct {
	lockToken chan struct{} // a lock: holds a value while a goroutine uses the fields
	allowed   bool
	rows      *stream.Batch // nil until they are read
}

// lock waits until no other goroutine uses the fields. Meanwhile it reports progress to the pass
// that opened the source with ctx. It returns false if ctx is done.
func (k *keptRows) lock(ctx context.Context) bool {
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	for {
		select {
		case k.lockToken <- struct{}{}:
			return true
		case <-beat.C:
			stream.Heartbeat(ctx)
		case <-ctx.Done():
			return false
		}
	}
}

// unlock lets other goroutines use the fields.
func (k *keptRows) unlock() { <-k.lockToken }

// Keep implements Keeper.
func (s *source) Keep(allowed bool) {
	isText := func(f stream.Field) bool { return f.Kind == stream.String }
	s.kept.lockToken <- struct{}{}
	defer s.kept.unlock()
	if s.kept.allowed = allowed && !slices.ContainsFunc(s.info.Kept, isText); !s.kept.allowed {
		s.kept.rows = nil
	}
}

// cachedRows returns all rows, or nil if they are not cached. If worth is true it reads them first. It
// ignores read errors, which the caller's own read reports.
func (s *source) cachedRows(ctx context.Context, worth bool) *stream.Batch {
	if !s.kept.lock(ctx) {
		return nil
	}
	defer s.kept.unlock()
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

// pages returns about the number of pages of the file, the positions where a reader can begin.
func (s *source) pages() int64 { return s.info.Rows / max(1, s.info.SeekCost) }

// touchesMost reports whether reading rows many random rows touches most pages of the file.
func (s *source) touchesMost(rows int) bool { return s.info.SeekCost > 1 && int64(rows) >= s.pages() }

// hasFewPages reports whether readers that begin in the middle, or read a few rows, read a
// considerable part of the file.
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

// keptPass is a pass over cached rows. It holds the open file they come from, to detect changes.
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
