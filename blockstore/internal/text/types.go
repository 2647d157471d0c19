package text

import (
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream/logical"
)

// IsTextTable reports whether a table is a text file without column types.
func IsTextTable(t column.Table) bool {
	switch t.(type) {
	case *csvTable, *jsonTable:
		return true
	}
	return false
}

// SetTypes sets the types of columns of text files: those given by name and, if find is true, those
// that all texts of a column have in all files. It returns the given names that no text file has.
// Features of libsvm files are float64; another type for them is an error.
func SetTypes(tables []column.Table, given map[string]logical.Type, find bool) (unknown []string, err error) {
	found := foundTypes(tables)
	seen := make(map[string]bool)
	eachTextColumn(tables, func(t *column.TableInfo, j int) {
		c := &t.Columns[j]
		seen[c.Name] = true
		if want, ok := given[c.Name]; ok {
			c.Type, c.ZeroPadded, c.Given = want, false, true
			delete(t.NearlyNumeric, j)
		} else if of := found[c.Name]; find && of.Class != logical.None && of.Class != logical.Duration { // Parquet has no durations
			c.Type = of
		}
	})
	for name, of := range given {
		switch feature := isFeature(tables, name); {
		case feature && !of.Equal(logical.Float64):
			return nil, fault.New("`Options.Types` %s=%s: features of libsvm files are float64", name, of).WithRemedy("leave it out")
		case !feature && !seen[name]:
			unknown = append(unknown, name)
		}
	}
	return unknown, nil
}

// isFeature reports whether a libsvm file has a feature with the given name.
func isFeature(tables []column.Table, name string) bool {
	return slices.ContainsFunc(tables, func(t column.Table) bool {
		sparse, ok := t.(*libsvmTable)
		return ok && slices.ContainsFunc(sparse.Columns[:sparse.features], func(c column.Info) bool { return c.Name == name })
	})
}

// foundTypes returns, by column name, the type that all texts have in all text files, the zero Type
// if there is none.
func foundTypes(tables []column.Table) map[string]logical.Type {
	some := make(map[string]bool) // names of columns with a type in some file
	eachTextColumn(tables, func(t *column.TableInfo, j int) {
		if t.Columns[j].Found != nil {
			some[t.Columns[j].Name] = true
		}
	})
	found := make(map[string]logical.Type, len(some))
	eachTextColumn(tables, func(t *column.TableInfo, j int) {
		c, of := &t.Columns[j], logical.Type{}
		if len(some) == 0 || !some[c.Name] {
			return
		}
		if c.Found != nil {
			of = *c.Found
		}
		switch before, ok := found[c.Name]; {
		case c.Empty:
		case ok:
			found[c.Name] = commonType(before, of)
		default:
			found[c.Name] = of
		}
	})
	return found
}

// eachTextColumn calls visit for the columns of text files that may have types.
func eachTextColumn(tables []column.Table, visit func(t *column.TableInfo, j int)) {
	for _, t := range tables {
		first, end := 0, len(t.About().Columns)
		if sparse, ok := t.(*libsvmTable); ok { // features are numbers
			first, end = sparse.features, sparse.features+1
		} else if !IsTextTable(t) {
			continue
		}
		for j := first; j < end; j++ {
			visit(t.About(), j)
		}
	}
}

// commonType returns the type that can hold the values of both types, the zero Type if there is none.
func commonType(a, b logical.Type) logical.Type {
	local := func(t logical.Type) bool {
		return t.Class == logical.Date || t.Class == logical.Timestamp && t.Zone == ""
	}
	switch {
	case a.Equal(b):
		return a
	case local(a) && local(b), a.Class == logical.Timestamp && b.Class == logical.Timestamp && a.Zone == b.Zone:
		return logical.Type{Class: logical.Timestamp, Unit: max(a.Unit, b.Unit), Zone: a.Zone}
	case a.Class == b.Class && (a.Class == logical.Time || a.Class == logical.Duration):
		return logical.Type{Class: a.Class, Unit: max(a.Unit, b.Unit)}
	}
	return logical.Type{}
}
