package arrow

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// oddColumns returns columns whose values lose bits in a wrong or double conversion.
func oddColumns() []arrowTestColumn {
	specials := filetest.Specials()
	dictionary := func(value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: value}
	}
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	wide := func(i int) int64 { return 1<<53 + int64(i%5) - int64(i%3)<<40 }
	return []arrowTestColumn{
		{name: "double", typ: arrow.PrimitiveTypes.Float64, add: func(b array.Builder, i int) { b.(*array.Float64Builder).Append(specials[i*i%len(specials)]) }},
		{name: "single", typ: arrow.PrimitiveTypes.Float32, add: func(b array.Builder, i int) {
			b.(*array.Float32Builder).Append(math.Float32frombits(uint32(i) * 0x9e3779b9))
		}},
		{name: "wide", typ: arrow.PrimitiveTypes.Int64, add: func(b array.Builder, i int) { b.(*array.Int64Builder).Append(wide(i)) }},
		{name: "doubles", typ: dictionary(arrow.PrimitiveTypes.Float64), add: func(b array.Builder, i int) {
			check(b.(*array.Float64DictionaryBuilder).Append(specials[i*i%11]))
		}},
		{name: "singles", typ: dictionary(arrow.PrimitiveTypes.Float32), add: func(b array.Builder, i int) {
			check(b.(*array.Float32DictionaryBuilder).Append(float32(i%50) / 3))
		}},
		{name: "wides", typ: dictionary(arrow.PrimitiveTypes.Int64), add: func(b array.Builder, i int) { check(b.(*array.Int64DictionaryBuilder).Append(wide(i))) }},
	}
}

// Numbers converted directly from a buffer have the same bits as those converted through words.
func TestArrowDirectConversionKeepsBits(t *testing.T) {
	t.Parallel()
	columns := append(arrowTestColumns(), oddColumns()...)
	for k, options := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
		for _, nullable := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "a.arrow")
			schema, records := arrowRecords(t, columns, 2600, nullable, k == 0)
			writeArrow(t, path, schema, records, k == 0, options...)
			tb, err := Open(t.Context(), nil, path)
			if err != nil {
				t.Fatal(err)
			}
			filetest.CheckStraight(t, tb)
			if k == 0 {
				filetest.CheckSlots(t, tb)
			}
		}
	}
}

// A dictionary may have more entries than are loaded at a time.
func TestArrowDirectConversionOfLongDictionary(t *testing.T) {
	const n = tileRows + 900
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.PrimitiveTypes.Float64}
	add := func(b array.Builder, i int) {
		if err := b.(*array.Float64DictionaryBuilder).Append(float64(i) / 3); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.arrow")
	schema, records := arrowRecords(t, []arrowTestColumn{{name: "many", typ: typ, add: add}}, n, false, true)
	writeArrow(t, path, schema, records, true)
	tb, err := Open(t.Context(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	filetest.CheckStraight(t, tb)
}

// Values below a null are ignored: integers that float64 cannot represent, and indices outside a dictionary. Without
// the null they are an error in their row; an unused dictionary entry is none.
func TestArrowUnderNulls(t *testing.T) {
	const bad = 1<<53 + 1
	for name, test := range map[string]struct {
		values []int64
		valid  []bool
		want   string
	}{
		"null":     {[]int64{1, bad, 3, bad}, []bool{true, false, true, false}, ""},
		"one":      {[]int64{1, bad, 3, bad}, []bool{true, false, true, true}, "row 3 "},
		"the last": {[]int64{1, 2, 3, bad}, nil, "row 3 "},
	} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.AppendValues(test.values, test.valid)
		checkUnderNulls(t, name, schema, b.NewArray(), test.want, bad, test.valid)
	}
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: typ, Nullable: true}}, nil)
	builder := array.NewInt64Builder(memory.DefaultAllocator)
	builder.AppendValues([]int64{1, bad, 5, 3}, []bool{true, true, false, true})
	values := builder.NewArray()
	for name, test := range map[string]struct {
		indexes []int8
		valid   []bool
		want    string
	}{
		"unused entry":     {[]int8{0, 2, 3, 0}, []bool{true, false, true, true}, ""},
		"entry under null": {[]int8{0, 1, 3, 0}, []bool{true, false, true, true}, ""},
		"used entry":       {[]int8{0, 2, 3, 1}, []bool{true, false, true, true}, "row 3 "},
	} {
		indexes := array.NewInt8Builder(memory.DefaultAllocator)
		indexes.AppendValues(test.indexes, test.valid)
		checkUnderNulls(t, name, schema, array.NewDictionaryArray(typ, indexes.NewArray(), values), test.want, bad, test.valid)
	}
}

// checkUnderNulls reads four rows of a column and compares the error with want, "" for none.
func checkUnderNulls(t *testing.T, name string, schema *arrow.Schema, column arrow.Array, want string, bad int64, valid []bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.arrow")
	writeArrow(t, path, schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{column}, 4)}, true)
	tb, err := Open(t.Context(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := filetest.Slurp(filetest.ChooseAll(t, tb), 4)
	if want != "" {
		filetest.WantError(t, err, path, want, fmt.Sprint(bad))
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for i, row := range rows {
		if want := float64([]int64{1, 2, 3, 1}[i]); valid[i] && row[0] != want || !valid[i] && !math.IsNaN(row[0]) {
			t.Errorf("%s: row %d is %v", name, i, row)
		}
	}
}
