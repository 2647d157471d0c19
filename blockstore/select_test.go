package blockstore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// shop returns a selector for a table with columns of all kinds. Comments number the components.
func shop() *selector {
	return newSelector(&column.TableInfo{Path: "shop.parquet", Columns: []column.Info{
		{Name: "id", Kind: column.Integer, Width: 1},   // 0
		{Name: "name", Kind: column.Text, Width: 1},    // 1
		{Name: "price", Kind: column.Number, Width: 1}, // 2
		{Name: "sensor_1", Kind: column.Number, Width: 1},
		{Name: "sensor_2", Kind: column.Number, Width: 1},
		{Name: "emb", Kind: column.Vector, Width: 3},  // 5 6 7
		{Name: "time", Kind: column.Other, Width: 1},  // 8
		{Name: "3", Kind: column.Number, Width: 1},    // 9
		{Name: "!odd", Kind: column.Number, Width: 1}, // 10
	}})
}

// Dates are features only if they are named. The error for a file of dates alone says so.
func TestDatesAlone(t *testing.T) {
	s := newSelector(&column.TableInfo{Path: "a.parquet", Columns: []column.Info{{Name: "The time", Kind: column.Integer, Width: 1, Meaning: column.Timestamp}}})
	_, err := s.resolve(nil, "", nil, nil)
	filetest.WantError(t, err, "a.parquet: no numeric column is chosen", "`Options.Dates number`", "name some", "`Options.Columns 'The time'`")
	if sel, err := s.resolve([]string{"The time"}, "", nil, nil); err != nil || len(sel.numeric) != 1 {
		t.Error(sel, err)
	}
}

func TestSelectChoosesColumns(t *testing.T) {
	for _, c := range []struct {
		columns, label, keep string
		numeric, kept        []int
	}{
		{"", "", "", []int{0, 2, 3, 4, 5, 6, 7, 9, 10}, nil},
		{"", "price", "name id", []int{3, 4, 5, 6, 7, 9, 10}, []int{2, 1, 0}},
		{"price id", "", "", []int{2, 0}, nil},
		{"price price 2", "", "", []int{2}, nil},
		{"sensor_*", "", "", []int{3, 4}, nil},
		{"sensor_* !sensor_1", "", "", []int{4}, nil},
		{"!sensor_1 sensor_*", "", "", []int{4}, nil},
		{"!emb !id", "", "", []int{2, 3, 4, 9, 10}, nil},
		{"!emb.1", "", "", []int{0, 2, 3, 4, 5, 7, 9, 10}, nil},
		{"emb", "", "", []int{5, 6, 7}, nil},
		{"emb.2 emb.0", "", "", []int{7, 5}, nil},
		{"2:5", "", "", []int{2, 3, 4}, nil},
		{"2:5", "sensor_1", "", []int{2, 4}, []int{3}},
		{"[ps]*", "sensor_1", "", []int{2, 4}, []int{3}},
		{"sensor_1", "sensor_1", "", []int{3}, []int{3}},
		{"9:", "", "", []int{9, 10}, nil},
		{":1", "", "", []int{0}, nil},
		{"4", "", "", []int{4}, nil},
		{"3", "", "", []int{9}, nil}, // a name goes before a number
		{"!odd", "", "", []int{10}, nil},
		{"5:8 !6", "", "", []int{5, 7}, nil},
	} {
		got, err := shop().resolve(strings.Fields(c.columns), c.label, strings.Fields(c.keep), nil)
		if err != nil {
			t.Errorf("%q: %v", c.columns, err)
			continue
		}
		if diff := cmp.Diff(selection{numeric: c.numeric, kept: c.kept}, selection{numeric: got.numeric, kept: got.kept}, cmp.AllowUnexported(selection{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q label %q keep %q: %s", c.columns, c.label, c.keep, diff)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	for _, c := range []struct {
		columns, label string
		says           []string
	}{
		{"name", "", []string{`"name"`, "`Options.Keep name`", "id, price, sensor_1"}},
		{"0:3", "", []string{`"name"`, "`Options.Keep "}},
		{"*", "", []string{`"name"`}},
		{"time", "", []string{`"time"`}},
		{"prise", "", []string{`"prise"`, `did you mean "price"`, "sensor_2"}},
		{"Price", "", []string{`did you mean "price"`}},
		{"colour", "", []string{`"colour"`, "the columns are: id, name"}},
		{"x_*", "", []string{`"x_*"`, "the columns are"}},
		{"[", "", []string{"glob"}},
		{"11", "", []string{"11 columns"}},
		{"5:12", "", []string{"11 columns"}},
		{"5:5", "", []string{"5:5"}},
		{"price !price", "", []string{"no numeric column"}},
		{"!name !pricee", "", []string{`"price"`}},
		{"", "emb", []string{`"emb"`, "kept"}},
		{"", "time", []string{`"time"`, "kept"}},
		{"", "labl", []string{`"labl"`}},
	} {
		_, err := shop().resolve(strings.Fields(c.columns), c.label, nil, nil)
		if err == nil {
			t.Errorf("%q: no error", c.columns)
			continue
		}
		mustContain(t, err.Error(), append(c.says, "shop.parquet")...)
	}
	twice := newSelector(&column.TableInfo{Path: "a.csv", Columns: []column.Info{{Name: "x", Kind: column.Number, Width: 1}, {Name: "x", Kind: column.Number, Width: 1}}})
	_, err := twice.resolve([]string{"x"}, "", nil, nil)
	mustContain(t, err.Error(), "2 columns", "0, 1")
	if got, err := twice.resolve([]string{"1"}, "", nil, nil); err != nil || got.numeric[0] != 1 {
		t.Error(got, err)
	}
}

// The error of a selection lists few names of a wide table.
func TestSelectListsFewOfManyColumns(t *testing.T) {
	wide := &column.TableInfo{Path: "wide.npy"}
	for range 10_000 {
		wide.Columns = append(wide.Columns, column.Info{Name: "x", Kind: column.Number, Width: 1})
	}
	_, err := newSelector(wide).resolve([]string{"nothing like it"}, "", nil, nil)
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("got %v", err)
	}
	mustContain(t, err.Error(), "and 9980 more")
}
