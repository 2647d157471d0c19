package text

import (
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream/logical"
)

// isTextTable reports whether a table is a file of text whose columns have no types.
func isTextTable(t column.Table) bool {
	switch t.(type) {
	case *csvTable, *jsonTable:
		return true
	}
	return false
}

// SetTypes gives columns of files of text the types that are given for their names, and if find is set those that all
// texts of a column have in all files. It returns the given names that no such file has.
func SetTypes(tables []column.Table, given map[string]logical.Type, find bool) (unknown []string) {
	found := make(map[string]logical.Type)
	seen := make(map[string]bool)
	columns := func(visit func(t *column.TableInfo, j int)) {
		for _, t := range tables {
			for j := range t.About().Columns {
				if isTextTable(t) {
					visit(t.About(), j)
				}
			}
		}
	}
	columns(func(t *column.TableInfo, j int) {
		c, of := &t.Columns[j], logical.Type{}
		if c.Found != nil {
			of = *c.Found
		}
		switch before, ok := found[c.Name]; {
		case c.Empty:
		case ok:
			found[c.Name] = common(before, of)
		default:
			found[c.Name] = of
		}
	})
	columns(func(t *column.TableInfo, j int) {
		c := &t.Columns[j]
		seen[c.Name] = true
		if want, ok := given[c.Name]; ok {
			c.Type, c.ZeroPadded = want, false
			delete(t.NearlyNumeric, j)
		} else if find && found[c.Name].Class != logical.None {
			c.Type = found[c.Name]
		}
	})
	for name := range given {
		if !seen[name] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// common returns the type of two that holds the values of both, the zero Type if there is none.
func common(a, b logical.Type) logical.Type {
	local := func(t logical.Type) bool {
		return t.Class == logical.Date || t.Class == logical.Timestamp && t.Zone == ""
	}
	switch {
	case a.Equal(b):
		return a
	case local(a) && local(b), a.Class == logical.Timestamp && b.Class == logical.Timestamp && a.Zone == b.Zone:
		return logical.Type{Class: logical.Timestamp, Unit: max(a.Unit, b.Unit), Zone: a.Zone}
	}
	return logical.Type{}
}
