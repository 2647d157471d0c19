package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// member is one file of a set.
type member struct {
	*selector
	table   column.Table
	folders []folderKey // its last columns
}

// source makes a source of what was found of m, whose rows are those of info.
func (m *member) source(found selection, info stream.Info, inexact Inexact) (stream.Gatherer, error) {
	c := column.Choice{Inexact: inexact}
	c.Numeric, c.Slot = m.slots(found.numeric)
	for at, i := range found.numeric {
		if m.isKey(i) {
			v, err := m.key(i).number(m.Path, inexact)
			if err != nil {
				return nil, err
			}
			c.Fixed = append(c.Fixed, column.Fixed{Slot: at, Value: v})
		}
	}
	for k, i := range found.kept {
		kept := column.Kept{Column: -1, Kind: info.Kept[k].Kind}
		switch {
		case i < 0:
			kept.Nested = &m.Nested[-1-i]
			kept.Column = kept.Nested.First
		case m.isKey(i):
			kept.Constant = m.key(i).kept(kept.Kind)
		default:
			kept.Column = m.components[i].column
		}
		c.Kept = append(c.Kept, kept)
	}
	return column.NewRows(m.table, c, info)
}

// slots returns the columns of the table that hold the given components, folder keys aside, in the order
// in which these first need them, and where in a row their numbers go: see column.Choice. Only a component
// that stands there twice makes its column stand there twice.
func (m *member) slots(components []int) (columns, slots []int) {
	last := make([]int, len(m.Columns)) // 1 + where the slots of each column begin, as it was last added; 0 before
	columns, slots = make([]int, 0, len(components)), make([]int, 0, len(components))
	for at, i := range components {
		if m.isKey(i) {
			continue
		}
		c := m.components[i]
		begin := last[c.column] - 1
		if begin < 0 || slots[begin+c.part] >= 0 {
			begin = len(slots)
			last[c.column] = begin + 1
			columns = append(columns, c.column)
			for range m.Columns[c.column].Width {
				slots = append(slots, -1)
			}
		}
		slots[begin+c.part] = at
	}
	return columns, slots
}
