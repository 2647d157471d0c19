package blockstore

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// ColumnStatistics are the statistics of a column over all files.
type ColumnStatistics struct {
	Nulls int64
	// Bounds holds the minimum and the maximum of each part of the files, in any order; it is empty
	// if all values are null.
	Bounds stream.Column
}

// Statistics returns the statistics of integer, date and time columns, by index in Columns, if the
// footers of all files have them. Cost: it reads footers, and no rows.
func (f *Files) Statistics(ctx context.Context) (map[int]ColumnStatistics, error) {
	var all map[int]ColumnStatistics
	first := f.set.members[0]
	for n, m := range f.set.members {
		table, ok := m.table.(column.Described)
		if !ok {
			return nil, nil
		}
		found, err := table.Statistics(ctx)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			all = make(map[int]ColumnStatistics, len(found))
		}
		for i := range first.Columns {
			s, ok := all[i]
			j := i
			switch {
			case n == 0:
				s.Bounds = stream.Info{Kept: []stream.Field{first.Columns[i].Field()}}.NewKept()[0]
			case !ok:
				continue
			default:
				j = slices.IndexFunc(m.Columns, func(c column.Info) bool { return c.Name == first.Columns[i].Name })
			}
			more, ok := found[j]
			if !ok || !m.Columns[j].Field().Logical().Equal(first.Columns[i].Field().Logical()) {
				delete(all, i)
				continue
			}
			s.Nulls += more.Nulls
			s.Bounds.Ints = append(s.Bounds.Ints, more.Bounds...)
			all[i] = s
		}
	}
	return all, nil
}
