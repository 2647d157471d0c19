package parquet

import (
	"context"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// Gather implements stream.Gatherer. It goes through the file once for every
// column; pages in which no row is wanted are passed over by their headers.
func (s *source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	column.BeginGather(s.Info(), rows, dst)
	file, err := s.table.stamp.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	pages := newPages(s.table, file)
	defer pages.close()
	return s.table.stamp.Settle(file, fault.Guard(s.table.Path, func() error { return s.gather(ctx, pages, rows, dst) }))
}

// gather fetches column after column.
func (s *source) gather(ctx context.Context, pages *pages, rows []int64, dst *stream.Batch) error {
	at := 0
	var body []byte // of a page, for one column after the other
	for _, i := range s.Numeric {
		r := newColumnReader(pages, s.table, i)
		r.body = body
		err := r.visit(ctx, rows, func(k, n int) error {
			return r.read(dst.X.Data[k*dst.X.Stride+at:], dst.X.Stride, n)
		})
		if err != nil {
			return err
		}
		at += r.Width
		body = r.body
	}
	for i := range dst.Kept {
		r := newColumnReader(pages, s.table, s.Kept[i])
		r.body = body
		err := r.visit(ctx, rows, func(_, n int) error { return r.keep(&dst.Kept[i], n) })
		if err != nil {
			return err
		}
		body = r.body
	}
	return nil
}

// visit goes to the ascending rows in turn and calls take at the start of every
// run of consecutive ones, with the index of the first and their number.
func (r *columnReader) visit(ctx context.Context, rows []int64, take func(k, n int) error) error {
	group := -1
	for k := 0; k < len(rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if g := r.table.groupOf(rows[k]); g != group {
			group = g
			r.open(g)
		}
		n := column.LeadingRun(rows[k:], r.table.groups[group].end())
		if err := r.skip(rows[k] - r.row); err != nil {
			return err
		}
		if err := take(k, n); err != nil {
			return err
		}
		k += n
	}
	return nil
}
