package column

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// Pass reads the rows of the chosen columns of one file. Each format implements it; NewSource and
// NewReader adapt it to readers. One goroutine uses a pass at a time; passes over one file share no
// mutable data. A panic in a pass becomes an error.
type Pass interface {
	// SkipTo advances to a row not before the next one.
	SkipTo(row int64) error
	// Next stores the next rows in dst, starting at row at. It stores as many as are available and
	// fit, possibly none, and returns their number, with io.EOF after the last row. SkipTo is
	// called before the first Next. With an error, the counted rows are valid and the error
	// concerns the row after them; kept columns may then have more values. Next does not keep dst
	// and does not touch rows before at. For a live table the error may be file.ErrPause; then Next
	// is called again.
	Next(dst *stream.Batch, at int) (int, error)
	// Close releases the file, which the pass has owned since Begin. It is called once, also after
	// an error.
	Close() error
}

// Begin starts a pass over an open file, which the pass closes. ahead reports that rows are read
// sequentially; otherwise few of them are read.
type Begin func(ctx context.Context, f file.File, ahead bool) Pass

// NewSource returns a source of the chosen columns of the file with the given stamp. It adds fixed
// numbers and constant kept columns itself; passes leave them unset.
func NewSource(c Choice, stamp file.Stamp, begin Begin) stream.Gatherer {
	return &source{Choice: c, stamp: stamp, kept: keptRows{lockToken: make(chan struct{}, 1)}, begin: func(ctx context.Context, f file.File, ahead bool) Pass {
		return withConstants(&c, begin(ctx, f, ahead))
	}}
}

// source reads chosen columns of a file. It converts panics of its passes to errors, since
// libraries panic on damaged files.
type source struct {
	Choice
	stamp file.Stamp
	begin Begin
	kept  keptRows
}

// Open implements stream.Source. Each reader has its own file handle.
func (s *source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	kept := s.cachedRows(ctx, s.hasFewPages())
	f, err := s.stamp.Open(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, f, true, kept)
	if err != nil {
		return nil, err
	}
	return s.reader(ctx, f, p, first), nil
}

// reader returns a reader for a pass over an open file.
func (s *source) reader(ctx context.Context, f file.File, p Pass, first int64) stream.Reader {
	return &passReader{ctx: ctx, info: s.info, pass: p, first: first, checkUnchanged: func(err error) error { return s.stamp.CheckUnchanged(f, err) }}
}

// start begins a pass, over cached rows if there are any. On error it closes the file.
func (s *source) start(ctx context.Context, f file.File, ahead bool, kept *stream.Batch) (p Pass, err error) {
	if kept != nil {
		return &keptPass{File: f, rows: kept}, nil
	}
	err = fault.Guard(s.info.Name, func() error {
		p = s.begin(ctx, f, ahead)
		return nil
	})
	if err != nil {
		err = errors.Join(s.stamp.CheckUnchanged(f, err), f.Close())
	}
	return p, err
}

// Gather implements stream.Gatherer. Consecutive rows are read together.
func (s *source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if s.info.OnePass {
		return fmt.Errorf("%s %w", s.info.Name, stream.ErrReadOnce)
	}
	BeginGather(s.info, rows, dst)
	kept := s.cachedRows(ctx, s.touchesMost(len(rows)))
	f, err := s.stamp.ByNumber(len(rows)).Open(ctx)
	if err != nil {
		return err
	}
	p, err := s.start(ctx, f, false, kept)
	if err != nil {
		return err
	}
	err = s.stamp.CheckUnchanged(f, fault.Guard(s.info.Name, func() error { return gather(ctx, p, rows, dst) }))
	if closed := p.Close(); err == nil {
		err = closed
	}
	return err
}

// gather reads rows in ascending order.
func gather(ctx context.Context, p Pass, rows []int64, dst *stream.Batch) error {
	for k := 0; k < len(rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.SkipTo(rows[k]); err != nil {
			return err
		}
		part := *dst
		for part.X.Rows = k + leadingRun(rows[k:]); k < part.X.Rows; {
			n, err := p.Next(&part, k)
			if err != nil {
				return err
			}
			k += n
		}
	}
	return nil
}

// NewReader returns a stream.Reader for a pass that does not read a file, starting at row first.
func NewReader(ctx context.Context, c *Choice, p Pass, first int64) stream.Reader {
	return &passReader{ctx: ctx, info: c.info, pass: withConstants(c, p), first: first, checkUnchanged: func(err error) error { return err }}
}

// passReader implements reads of any size on a pass. An error is final. When reading ends with an
// error, checkUnchanged replaces it if a change of the file is the cause.
type passReader struct {
	ctx            context.Context
	info           stream.Info
	pass           Pass
	first          int64 // the row to begin with; -1 after SkipTo
	checkUnchanged func(err error) error
	failed         error
	firstArrival   time.Time // arrival of the first row of a live block
}

// Read implements stream.Reader.
func (r *passReader) Read(dst *stream.Batch) (n int, err error) {
	MustFit(r.info, dst)
	Truncate(dst, r.info.Kept)
	for n < dst.X.Rows && r.failed == nil && !r.isDue(n) {
		stream.Heartbeat(r.ctx)
		if r.failed = r.ctx.Err(); r.failed == nil {
			var rows int
			r.failed = fault.Guard(r.info.Name, func() (err error) {
				rows, err = r.next(dst, n)
				return err
			})
			n += rows
			if r.failed == file.ErrPause {
				if r.failed = nil; n > 0 {
					break
				}
			} else if r.failed != nil {
				r.failed = r.checkUnchanged(r.failed)
			}
		}
	}
	return n, r.failed
}

// isDue reports whether n rows of a live source have waited long enough for more.
func (r *passReader) isDue(n int) bool {
	switch {
	case !r.info.Live:
		return false
	case n == 0:
		r.firstArrival = time.Time{}
		return false
	case r.firstArrival.IsZero():
		r.firstArrival = time.Now()
	}
	return time.Since(r.firstArrival) >= file.Patience
}

// next reads the next rows. The first call skips to the starting row.
func (r *passReader) next(dst *stream.Batch, at int) (int, error) {
	if first := r.first; first >= 0 {
		if r.info.Rows >= 0 && first >= r.info.Rows {
			return 0, io.EOF
		}
		r.first = -1
		if err := r.pass.SkipTo(first); err != nil {
			return 0, err
		}
	}
	return r.pass.Next(dst, at)
}

// Close implements stream.Reader. It reports a change of the file that no read has reported.
func (r *passReader) Close() error {
	if r.failed != nil || r.ctx.Err() != nil {
		return r.pass.Close()
	}
	r.failed = errClosed
	return errors.Join(r.checkUnchanged(nil), r.pass.Close())
}

var errClosed = errors.New("the reader is closed")

// MustFit panics unless dst has the shape of the source.
func MustFit(info stream.Info, dst *stream.Batch) {
	if dst.X.Cols != len(info.Columns) {
		panic(fmt.Sprintf("blockstore: batch has %d columns, %s has %d", dst.X.Cols, info.Name, len(info.Columns)))
	}
	if dst.Kept != nil && len(dst.Kept) != len(info.Kept) {
		panic(fmt.Sprintf("blockstore: batch keeps %d columns, %s has %d", len(dst.Kept), info.Name, len(info.Kept)))
	}
}

// BeginGather prepares dst for rows with the given numbers. It panics if the arguments violate the
// contract of Gather.
func BeginGather(info stream.Info, rows []int64, dst *stream.Batch) {
	MustFit(info, dst)
	if dst.X.Rows != len(rows) {
		panic(fmt.Sprintf("blockstore: batch has %d rows for %d row numbers", dst.X.Rows, len(rows)))
	}
	for i, row := range rows {
		if row < 0 || row >= info.Rows || i > 0 && row <= rows[i-1] {
			panic(fmt.Sprintf("blockstore: row number %d at %d does not ascend within the %d rows of %s", row, i, info.Rows, info.Name))
		}
	}
	Truncate(dst, info.Kept)
}

// leadingRun returns the length of the run of consecutive numbers at the start of rows.
func leadingRun(rows []int64) int {
	n := 1
	for n < len(rows) && rows[n] == rows[n-1]+1 {
		n++
	}
	return n
}

// LeadingLocal returns the leading row numbers below end, relative to start.
func LeadingLocal(rows []int64, start, end int64) []int64 {
	var list []int64
	for _, row := range rows {
		if row >= end {
			break
		}
		list = append(list, row-start)
	}
	return list
}
