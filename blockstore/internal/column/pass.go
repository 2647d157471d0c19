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

// Pass goes over the rows of the chosen columns of one file. Each format has
// its own; NewSource and NewReader make readers of any. One goroutine uses a pass at a time; passes
// over one file share nothing that they write to. A panic of a pass becomes an error.
type Pass interface {
	// SkipTo goes to a row at or behind the one that Next would give.
	SkipTo(row int64) error
	// Next puts the next rows into dst from row at on, as many as are at hand
	// and find room, and returns their number, which may be 0; io.EOF when
	// there are no more. SkipTo comes before the first Next. The rows that it counts are valid
	// also when it returns an error, which is about a row behind them; kept columns may then have
	// more values. It does not keep dst, and leaves the rows before at alone. Of a live table the error may be
	// file.ErrPause; then Next is called again.
	Next(dst *stream.Batch, at int) (int, error)
	// Close releases the file, which the pass owns since Begin. It is called once, also after an
	// error.
	Close() error
}

// Begin starts a pass over an open file, which the pass closes. ahead says that rows are read
// one after the other; else few of them are wanted.
type Begin func(ctx context.Context, f file.File, ahead bool) Pass

// NewSource returns the chosen columns of the file with the given stamp. Fixed numbers and constants among
// the kept columns are its own: passes leave them alone.
func NewSource(c Choice, stamp file.Stamp, begin Begin) stream.Gatherer {
	return &source{Choice: c, stamp: stamp, kept: keptRows{turn: make(chan struct{}, 1)}, begin: func(ctx context.Context, f file.File, ahead bool) Pass {
		return withConstants(&c, begin(ctx, f, ahead))
	}}
}

// source is chosen columns of a file. A panic of its passes is an error: libraries panic on damaged
// files.
type source struct {
	Choice
	stamp file.Stamp
	begin Begin
	kept  keptRows
}

// Open returns a reader of the rows from the given one on, with a file handle of its own.
func (s *source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	kept := s.keptNow(ctx, s.hasFewPages())
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

// reader returns a reader of a pass over an open file.
func (s *source) reader(ctx context.Context, f file.File, p Pass, first int64) stream.Reader {
	return &passReader{ctx: ctx, info: s.info, pass: p, first: first, checkUnchanged: func(err error) error { return s.stamp.CheckUnchanged(f, err) }}
}

// start begins a pass, over rows that are kept if there are some, or closes the file.
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

// Gather fetches rows by number, those that follow each other together.
func (s *source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if s.info.OnePass {
		return fmt.Errorf("%s %w", s.info.Name, stream.ErrReadOnce)
	}
	BeginGather(s.info, rows, dst)
	kept := s.keptNow(ctx, s.touchesMost(len(rows)))
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

// gather fetches rows in ascending order.
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

// NewReader makes a stream.Reader, from the given row on, of a pass that is over no file.
func NewReader(ctx context.Context, c *Choice, p Pass, first int64) stream.Reader {
	return &passReader{ctx: ctx, info: c.info, pass: withConstants(c, p), first: first, checkUnchanged: func(err error) error { return err }}
}

// passReader serves reads of any size from a pass. An error is final. It asks checkUnchanged for
// the error in which reading ended, or another one that is the cause: the file was changed.
type passReader struct {
	ctx            context.Context
	info           stream.Info
	pass           Pass
	first          int64 // the row to begin with; -1 once the pass is there
	checkUnchanged func(err error) error
	failed         error
	began          time.Time // when the first row of a live block came
}

// Read implements stream.Reader.
func (r *passReader) Read(dst *stream.Batch) (n int, err error) {
	MustFit(r.info, dst)
	Truncate(dst, r.info.Kept)
	for n < dst.X.Rows && r.failed == nil && !r.leaves(n) {
		stream.Beat(r.ctx)
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

// leaves reports whether n rows of a live source have waited long enough for others.
func (r *passReader) leaves(n int) bool {
	switch {
	case !r.info.Live:
		return false
	case n == 0:
		r.began = time.Time{}
		return false
	case r.began.IsZero():
		r.began = time.Now()
	}
	return time.Since(r.began) >= file.Patience
}

// next reads the next rows. The first time it goes to where they are.
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

// Close implements stream.Reader. Rows that were read of a file that has changed since
// are an error here, if no read has said so.
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

// BeginGather prepares dst for the rows with the given numbers. It panics
// unless the arguments of Gather keep its contract.
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

// leadingRun returns how many of the first row numbers follow each other.
func leadingRun(rows []int64) int {
	n := 1
	for n < len(rows) && rows[n] == rows[n-1]+1 {
		n++
	}
	return n
}

// LeadingLocal returns those of the first row numbers that lie below end, counted
// from start.
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
