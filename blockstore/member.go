package blockstore

import (
	"slices"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// member is one file of a set.
type member struct {
	*selector
	table   column.Table
	folders []folderKey
}

// source makes a source of what was found of m, whose rows are those of info.
func (m *member) source(found selection, info stream.Info, inexact Inexact) (stream.Gatherer, error) {
	c := column.Choice{Inexact: inexact}
	c.Numeric, c.Slot = m.slots(found.numeric)
	for k, i := range found.kept {
		kept := column.Kept{Column: -1, Kind: info.Kept[k].Kind}
		if i < len(m.components) {
			kept.Column = m.components[i].column
		} else if value, ok := keyValue(m.folders, info.Kept[k]); ok {
			kept.Constant = value
		} else {
			return nil, fault.File(m.Path, "no folder on its way is called %s=..., unlike for the first file", info.Kept[k].Name).
				Do("put it into one, or do not keep the column")
		}
		c.Kept = append(c.Kept, kept)
	}
	return column.NewRows(m.table, c, info)
}

// slots returns the columns of the table that hold the given components, in the order in which
// these first need them, and where in a row their numbers go: see column.Choice. Only a component
// that stands there twice makes its column stand there twice.
func (m *member) slots(components []int) (columns, slots []int) {
	last := make([]int, len(m.Columns)) // 1 + where the slots of each column begin, as it was last added; 0 before
	columns, slots = make([]int, 0, len(components)), make([]int, 0, len(components))
	for at, i := range components {
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

// keyFields makes columns of the folder keys of the first file. A key whose
// values are integers in all files is an integer column.
func keyFields(members []*member) []stream.Field {
	var fields []stream.Field
	for _, k := range members[0].folders {
		if !slices.ContainsFunc(fields, func(f stream.Field) bool { return f.Name == k.name }) {
			fields = append(fields, stream.Field{Name: k.name, Kind: keyKind(k.name, members)})
		}
	}
	return fields
}

// keyKind returns Int64 or String.
func keyKind(name string, members []*member) stream.Kind {
	for _, m := range members {
		for _, k := range m.folders {
			if _, err := strconv.ParseInt(k.value, 10, 64); k.name == name && k.value != hiveNull && err != nil {
				return stream.String
			}
		}
	}
	return stream.Int64
}
