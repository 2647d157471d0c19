package arrow

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// structureRows returns records of nested structures with nulls at every level, whose hidden values must not be read,
// and the expected values.
func structureRows(t *testing.T, rows int) (*arrow.Schema, arrow.Record, [][]float64, []string) {
	t.Helper()
	inner := arrow.StructOf(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "s", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		arrow.Field{Name: "v", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), Nullable: true})
	outer := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64}, arrow.Field{Name: "in", Type: inner, Nullable: true},
		arrow.Field{Name: "none", Type: arrow.StructOf()})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: outer, Nullable: true}, {Name: "b", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	a := b.Field(0).(*array.StructBuilder)
	in := a.FieldBuilder(1).(*array.StructBuilder)
	nan := math.NaN()
	var want [][]float64
	var texts []string
	for i := range rows {
		outerNull, innerNull, ownNull := i%7 == 3, i%5 == 1, i%3 == 2
		a.AppendValues([]bool{!outerNull}) // Append would add nulls to the members
		in.AppendValues([]bool{!innerNull})
		a.FieldBuilder(2).(*array.StructBuilder).Append(true)
		a.FieldBuilder(0).(*array.Float64Builder).Append(float64(i) / 4)
		number, list := in.FieldBuilder(0).(*array.Int64Builder), in.FieldBuilder(2).(*array.FixedSizeListBuilder)
		switch {
		case outerNull || innerNull:
			number.Append(1<<53 + 1)
		case ownNull:
			number.AppendNull()
		default:
			number.Append(int64(i))
		}
		if err := in.FieldBuilder(1).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint("t", i%4)); err != nil {
			t.Fatal(err)
		}
		list.Append(true)
		list.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{float32(i), -1}, nil)
		b.Field(1).(*array.Int32Builder).Append(int32(i))
		row, text := []float64{float64(i) / 4, float64(i), float64(i), -1, float64(i)}, fmt.Sprint("t", i%4)
		if ownNull {
			row[1] = nan
		}
		if innerNull || outerNull {
			row[1], row[2], row[3], text = nan, nan, nan, ""
		}
		if outerNull {
			row[0] = nan
		}
		want, texts = append(want, row), append(texts, text)
	}
	return schema, b.NewRecord(), want, texts
}

// Members of structures are columns a.b as in Parquet files, null where the structure is.
func TestStructureMembersAreColumns(t *testing.T) {
	const rows = 2*tileRows + 100
	schema, record, want, texts := structureRows(t, rows)
	check := func(name string, tb column.Table) {
		t.Helper()
		var names []string
		for _, c := range tb.About().Columns {
			names = append(names, fmt.Sprint(c.Name, " ", c.Kind))
		}
		if diff := cmp.Diff([]string{"a.x number", "a.in.n integer", "a.in.s text", "a.in.v vector", "a.none other", "b integer"}, names); diff != "" {
			t.Fatal(name, diff)
		}
		src, err := column.Choose(tb, []int{0, 1, 3, 5}, []int{2})
		if err != nil {
			t.Fatal(name, err)
		}
		got, kept, err := filetest.Slurp(src, 1000)
		if diff := cmp.Diff(want, got, filetest.SameBits); diff != "" || err != nil {
			t.Fatal(name, diff, err)
		}
		if diff := cmp.Diff(texts, kept[0].Strings); diff != "" {
			t.Error(name, diff)
		}
		filetest.CheckGather(t, src)
	}
	for name, options := range map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}} {
		options = append(options, ipc.WithSchema(schema))
		var file bytes.Buffer
		w := ipc.NewWriter(&file, options...)
		for at := int64(0); at < rows; at += 1000 { // slices, with offsets
			if err := w.Write(record.NewSlice(at, min(at+1000, rows))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		tb, err := Open(t.Context(), nil, filetest.TempFile(t, "a.arrows", file.String()))
		if err != nil {
			t.Fatal(err)
		}
		check(name, tb)
	}
}
