package blockstore

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
)

// TestIndexOfNames: a choice of many names finds what a search of all columns finds, also where columns have one name
// and where the number of a vector is called as a column is.
func TestIndexOfNames(t *testing.T) {
	info := &column.TableInfo{Columns: []column.Info{
		{Name: "a", Width: 1}, {Name: "v", Kind: column.Vector, Width: 3}, {Name: "a", Width: 1}, {Name: "v.1", Width: 1},
		{Name: "", Width: 1}, {Name: "w", Kind: column.Vector, Width: 1}, {Name: "empty", Kind: column.Other, Width: 0},
	}}
	searched, indexed := newSelector(info), newSelector(info)
	indexed.indexNames(linearSearchNames + 1)
	if searched.indexNames(linearSearchNames); searched.byWhole != nil || indexed.byWhole == nil {
		t.Fatal("the index is not made for many names, and for these alone")
	}
	for _, name := range []string{"a", "v", "v.0", "v.1", "v.3", "", "w", "w.0", "empty", "none"} {
		strip := func(runs []nameRun) (out [][2]int) {
			for _, r := range runs {
				out = append(out, [2]int{r.first, r.width})
			}
			return out
		}
		want, got := strip(searched.runsNamed(name)), strip(indexed.runsNamed(name))
		if !slices.Equal(got, want) {
			t.Errorf("%q: the index finds %v, a search %v", name, got, want)
		}
	}
}

// TestChoiceOfManyNames: a choice of many names makes the index, and keeps the columns in the order of the names.
func TestChoiceOfManyNames(t *testing.T) {
	info := &column.TableInfo{}
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("c%d", i))
		info.Columns = append(info.Columns, column.Info{Name: names[i], Kind: column.Text, Width: 1})
	}
	slices.Reverse(names)
	s := newSelector(info)
	s.noNumbers = true
	sel, err := s.resolve(nil, "", append(names, names...), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := interval(0, 100); s.byWhole == nil || len(sel.kept) != 100 || !slices.Equal(slices.Sorted(slices.Values(sel.kept)), want) || sel.kept[0] != 99 {
		t.Errorf("index %v, kept %v", s.byWhole != nil, sel.kept)
	}
}
