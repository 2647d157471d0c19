package blockstore

import (
	"context"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// ColumnStatistics is what files say of all values of a column.
type ColumnStatistics struct {
	Nulls int64
	// Bounds holds the least and the most values of all parts of the files, in no order; it is empty if all are null.
	Bounds stream.Column
}

// Statistics returns by the places of Columns what the footers say of columns of integers, dates and times, where they do
// in all files. Cost: footers are read, and no rows.
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
