package blockstore

import (
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// member is one file of a fileSet.
type member struct {
	*selector
	table   column.Table
	folders []folderKey // its columns follow those of the file
}

// source returns a source of a selection of m, with the rows described by info.
func (m *member) source(found selection, info stream.Info, inexact Inexact) (stream.Gatherer, error) {
	c := column.Choice{Inexact: inexact}
	dates := m.datesOf(found.numeric)
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
	names := info
	names.Kept = nil
	for _, f := range dates.fields {
		c.Kept, names.Kept = append(c.Kept, column.Kept{Column: f.column, Kind: f.Kind}), append(names.Kept, f.Field)
	}
	bare, err := m.dated(c, names, dates)
	if err != nil {
		return nil, err
	}
	c.Kept = slices.Grow(c.Kept, len(found.kept))
	for k, i := range found.kept {
		kept := column.Kept{Column: -1, Kind: info.Kept[k].Kind}
		switch {
		case i < 0:
			kept.Nested = &m.Nested[-1-i]
			kept.Column = kept.Nested.First
		case m.isKey(i):
			constant := m.key(i).kept(kept.Kind)
			kept.Constant = &constant
		default:
			kept.Column = m.components[i].column
		}
		c.Kept = append(c.Kept, kept)
	}
	names.Kept = slices.Concat(names.Kept, info.Kept)
	src, err := column.NewRows(m.table, c, names)
	if bare == nil || err != nil {
		return src, err
	}
	bare.info, bare.all = src.Info(), src
	bare.info.Kept = info.Kept
	return bare, nil
}

// dateFields are the date and time columns of a selection, and the numbers computed from them.
type dateFields struct {
	fields []dateField
	parts  []datePart
}

// dateField is a date column as a kept column.
type dateField struct {
	stream.Field
	column int // of the table
}

// datesOf returns the dates and times among components.
func (m *member) datesOf(components []int) (d dateFields) {
	for at, i := range components {
		holds, ok := m.momentType(i)
		if !ok {
			continue
		}
		c := m.components[i]
		kept := slices.IndexFunc(d.fields, func(f dateField) bool { return f.column == c.column })
		if kept < 0 {
			kept = len(d.fields)
			d.fields = append(d.fields, dateField{stream.FieldOf(m.Columns[c.column].Name, holds), c.column})
		}
		d.parts = append(d.parts, datePart{at, kept, c.as, holds})
	}
	return d
}

// dated returns the rows of c, which keeps dates alone, or nil if there are none.
func (m *member) dated(c column.Choice, names stream.Info, dates dateFields) (*datedSource, error) {
	if len(dates.fields) == 0 {
		return nil, nil
	}
	c.Kept = slices.Clip(c.Kept)
	bare, err := column.NewRows(m.table, c, names)
	return &datedSource{datesOnly: bare, parts: dates.parts, dates: len(dates.fields)}, err
}

// slots returns the columns of the table that hold the given components, except folder keys, in
// order of first use, and the positions of their numbers in a row: see column.Choice. A column
// occurs twice only if one of its components does.
func (m *member) slots(components []int) (columns, slots []int) {
	last := make([]int, len(m.Columns)) // 1 + offset of the slots of each column, as last added; 0 if none
	columns, slots = make([]int, 0, len(components)), make([]int, 0, len(components))
	for at, i := range components {
		if _, ok := m.momentType(i); ok || m.isKey(i) {
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
