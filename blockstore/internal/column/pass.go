package column

import (
	"context"
	"errors"
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// Pass goes over the rows of the chosen columns of one file. Each format has
// its own; NewReader makes a stream.Reader of any.
type Pass interface {
	// Next puts the next rows into dst from row at on, as many as are at hand
	// and find room, and returns their number, which may be 0; io.EOF when
	// there are no more.
	Next(dst *stream.Batch, at int) (int, error)
	// Close releases the file.
	Close() error
}

// Settle returns the error in which reading of a file ended, or another one that is the
// cause: the file was changed meanwhile. Without an error, or with io.EOF, it makes sure
// that it was not.
type Settle func(err error) error

// OpenReader opens the file of a source for one pass, which begin begins, over the rows
// from the given one on.
func OpenReader(ctx context.Context, info stream.Info, stamp file.Stamp, first int64, begin func(f file.File) Pass) (stream.Reader, error) {
	if err := stream.CheckFirst(info, first); err != nil {
		return nil, err
	}
	f, err := stamp.Open(ctx)
	if err != nil {
		return nil, err
	}
	return NewReader(ctx, info, begin(f), func(err error) error { return stamp.Settle(f, err) }), nil
}

// NewReader makes a stream.Reader of a pass over a source. settle, which may be nil, is
// asked when the pass ends, well or not, and when the reader is closed before that.
func NewReader(ctx context.Context, info stream.Info, p Pass, settle Settle) stream.Reader {
	if settle == nil {
		settle = func(err error) error { return err }
	}
	return &passReader{ctx: ctx, info: info, pass: p, settle: settle}
}

// passReader serves reads of any size from a pass. An error is final.
type passReader struct {
	ctx    context.Context
	info   stream.Info
	pass   Pass
	settle Settle
	failed error
}

// Read implements stream.Reader.
func (r *passReader) Read(dst *stream.Batch) (n int, err error) {
	MustFit(r.info, dst)
	Truncate(dst, r.info.Kept)
	for n < dst.X.Rows && r.failed == nil {
		stream.Beat(r.ctx)
		if r.failed = r.ctx.Err(); r.failed == nil {
			var rows int
			r.failed = fault.Guard(r.info.Name, func() (err error) {
				rows, err = r.pass.Next(dst, n)
				return err
			})
			n += rows
			if r.failed != nil {
				r.failed = r.settle(r.failed)
			}
		}
	}
	return n, r.failed
}

// Close implements stream.Reader. Rows that were read of a file that has changed since
// are an error here, if no read has said so.
func (r *passReader) Close() error {
	if r.failed != nil || r.ctx.Err() != nil {
		return r.pass.Close()
	}
	r.failed = errClosed
	return errors.Join(r.settle(nil), r.pass.Close())
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

// LeadingRun returns how many of the first row numbers follow each other below end.
func LeadingRun(rows []int64, end int64) int {
	n := 1
	for n < len(rows) && rows[n] == rows[n-1]+1 && rows[n] < end {
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
