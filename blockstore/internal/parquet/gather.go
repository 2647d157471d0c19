package parquet

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// Gather implements stream.Gatherer. It goes through the file once for every
// column, several columns at a time; pages in which no row is wanted are passed over
// by their headers.
func (s *source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	column.BeginGather(s.Info(), rows, dst)
	file, err := s.table.stamp.Open(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	wanted := s.All(dst.Kept != nil)
	starts := []int{0} // of each numeric column in a row
	for _, i := range s.Numeric {
		starts = append(starts, starts[len(starts)-1]+s.table.leaves[i].Width)
	}
	threads := min(stream.Engine{Threads: s.table.threads}.Workers(), len(wanted))
	columns := func(rows []int64, first int) error {
		return stream.Each(ctx, threads, threads, func(part int) error {
			pages := newPages(s.table, file)
			defer pages.close()
			var body []byte // of a page, for one column after the other
			for k := part * len(wanted) / threads; k < (part+1)*len(wanted)/threads; k++ {
				r := newColumnReader(pages, s.table, wanted[k])
				r.body = body
				if err := s.gather(ctx, r, k, starts, rows, first, dst); err != nil {
					return err
				}
				body = r.body
			}
			return nil
		})
	}
	return s.table.stamp.Settle(file, fault.Guard(s.table.Path, func() error {
		if !s.table.stamp.IsRemote() {
			return columns(rows, 0)
		}
		return s.table.eachGroup(rows, columns)
	}))
}

// eachGroup calls do for the rows of one row group after the other, with the index of the
// first: the columns of a group are beside each other in an object, and fetched together.
func (t *table) eachGroup(rows []int64, do func(rows []int64, first int) error) error {
	for first := 0; first < len(rows); {
		end := t.groups[t.groupOf(rows[first])].end()
		n, _ := slices.BinarySearch(rows[first:], end)
		if err := do(rows[first:first+n], first); err != nil {
			return err
		}
		first += n
	}
	return nil
}

// gather fetches rows of the k-th chosen column, into dst from row at on.
func (s *source) gather(ctx context.Context, r *columnReader, k int, starts []int, rows []int64, at int, dst *stream.Batch) error {
	if k >= len(s.Numeric) {
		kept := &dst.Kept[k-len(s.Numeric)]
		return r.visit(ctx, rows, func(_, n int) error { return r.keep(kept, n) })
	}
	return r.visit(ctx, rows, func(first, n int) error {
		return r.read(dst.X.Data[(at+first)*dst.X.Stride+starts[k]:], dst.X.Stride, n)
	})
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
