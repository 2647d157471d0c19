package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/decimal128"
	"github.com/apache/arrow/go/v16/arrow/float16"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// arrowTestColumn is a column written by Arrow's own library.
type arrowTestColumn struct {
	name   string
	typ    arrow.DataType
	add    func(b array.Builder, i int)
	floats func(i int) []float64 // what should come of row i, nil for text
	text   func(i int) string
}

// arrowTestColumns returns columns of every type, with unreadable ones in between.
func arrowTestColumns() []arrowTestColumn {
	one := func(f func(i int) float64) func(i int) []float64 {
		return func(i int) []float64 { return []float64{f(i)} }
	}
	noise := func(i int) float64 { return math.Sin(float64(i)) * math.Pow(10, float64(i%40-20)) }
	number := func(i int) float64 { return float64(i%100 - 50) }
	unsigned := func(i int) float64 { return float64(i % 200) }
	dictionary := func(index, value arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	vector := func(i int) []float64 { return []float64{noise(i), float64(i), 1} }
	decimal := &arrow.Decimal128Type{Precision: 30, Scale: 2}
	return []arrowTestColumn{
		{"f64", arrow.PrimitiveTypes.Float64, func(b array.Builder, i int) { b.(*array.Float64Builder).Append(noise(i)) }, one(noise), nil},
		{"null", arrow.Null, func(b array.Builder, _ int) { b.AppendNull() }, nil, nil},
		{"f32", arrow.PrimitiveTypes.Float32, func(b array.Builder, i int) { b.(*array.Float32Builder).Append(float32(noise(i))) }, one(func(i int) float64 { return float64(float32(noise(i))) }), nil},
		{"f16", arrow.FixedWidthTypes.Float16, func(b array.Builder, i int) { b.(*array.Float16Builder).Append(float16.New(float32(number(i)))) }, one(number), nil},
		{"struct", arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.String)}), func(b array.Builder, _ int) { b.AppendNull() }, nil, nil},
		{"i8", arrow.PrimitiveTypes.Int8, func(b array.Builder, i int) { b.(*array.Int8Builder).Append(int8(number(i))) }, one(number), nil},
		{"i16", arrow.PrimitiveTypes.Int16, func(b array.Builder, i int) { b.(*array.Int16Builder).Append(int16(number(i))) }, one(number), nil},
		{"i32", arrow.PrimitiveTypes.Int32, func(b array.Builder, i int) { b.(*array.Int32Builder).Append(int32(number(i))) }, one(number), nil},
		{"i64", arrow.PrimitiveTypes.Int64, func(b array.Builder, i int) { b.(*array.Int64Builder).Append(int64(number(i))) }, one(number), nil},
		{"u8", arrow.PrimitiveTypes.Uint8, func(b array.Builder, i int) { b.(*array.Uint8Builder).Append(uint8(unsigned(i))) }, one(unsigned), nil},
		{"u16", arrow.PrimitiveTypes.Uint16, func(b array.Builder, i int) { b.(*array.Uint16Builder).Append(uint16(unsigned(i))) }, one(unsigned), nil},
		{"u32", arrow.PrimitiveTypes.Uint32, func(b array.Builder, i int) { b.(*array.Uint32Builder).Append(math.MaxUint32 - uint32(i)) }, one(func(i int) float64 { return float64(math.MaxUint32 - uint32(i)) }), nil},
		{"u64", arrow.PrimitiveTypes.Uint64, func(b array.Builder, i int) { b.(*array.Uint64Builder).Append(uint64(unsigned(i))) }, one(unsigned), nil},
		{"bool", arrow.FixedWidthTypes.Boolean, func(b array.Builder, i int) { b.(*array.BooleanBuilder).Append(i%3 == 0) }, one(func(i int) float64 { return map[bool]float64{true: 1}[i%3 == 0] }), nil},
		{"date", arrow.FixedWidthTypes.Date32, func(b array.Builder, i int) { b.(*array.Date32Builder).Append(arrow.Date32(i)) }, one(func(i int) float64 { return float64(i) }), nil},
		{"time", arrow.FixedWidthTypes.Timestamp_us, func(b array.Builder, i int) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(i)) }, one(func(i int) float64 { return float64(i) }), nil},
		{"decimal", decimal, func(b array.Builder, i int) {
			b.(*array.Decimal128Builder).Append(decimal128.FromI64(int64(i - 300)))
		}, one(func(i int) float64 { return float64(i-300) / 100 }), nil},
		{"fixed", arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float64), func(b array.Builder, i int) {
			b.(*array.FixedSizeListBuilder).Append(true)
			b.(*array.FixedSizeListBuilder).ValueBuilder().(*array.Float64Builder).AppendValues(vector(i), nil)
		}, vector, nil},
		{"binary", arrow.BinaryTypes.Binary, func(b array.Builder, i int) { b.(*array.BinaryBuilder).Append([]byte{byte(i)}) }, nil, nil},
		{"list", arrow.ListOf(arrow.PrimitiveTypes.Float64), func(b array.Builder, i int) {
			b.(*array.ListBuilder).Append(true)
			b.(*array.ListBuilder).ValueBuilder().(*array.Float64Builder).AppendValues(vector(i), nil)
		}, vector, nil},
		{"large", arrow.LargeListOf(arrow.PrimitiveTypes.Float64), func(b array.Builder, i int) {
			b.(*array.LargeListBuilder).Append(true)
			b.(*array.LargeListBuilder).ValueBuilder().(*array.Float64Builder).AppendValues(vector(i), nil)
		}, vector, nil},
		{"text", arrow.BinaryTypes.String, func(b array.Builder, i int) { b.(*array.StringBuilder).Append(filetest.Text(i)) }, nil, filetest.Text},
		{"bytes", arrow.BinaryTypes.BinaryView, func(b array.Builder, i int) { b.(*array.BinaryViewBuilder).AppendString(filetest.Text(i) + " bytes") }, nil, nil},
		{"view", arrow.BinaryTypes.StringView, func(b array.Builder, i int) { b.(*array.StringViewBuilder).Append(filetest.Text(i)) }, nil, filetest.Text},
		{"long", arrow.BinaryTypes.LargeString, func(b array.Builder, i int) { b.(*array.LargeStringBuilder).Append(filetest.Text(i)) }, nil, filetest.Text},
		{"words", dictionary(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String), func(b array.Builder, i int) {
			if err := b.(*array.BinaryDictionaryBuilder).AppendString(filetest.Text(i)); err != nil {
				panic(err)
			}
		}, nil, filetest.Text},
		{"codes", dictionary(arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Float64), func(b array.Builder, i int) {
			if err := b.(*array.Float64DictionaryBuilder).Append(float64(i % 7)); err != nil {
				panic(err)
			}
		}, one(func(i int) float64 { return float64(i % 7) }), nil},
	}
}

// arrowRecords builds three or four records with n rows in total. In a stream each record has its own dictionaries; in
// a file they share them.
func arrowRecords(t testing.TB, columns []arrowTestColumn, n int, nullable, asFile bool) (*arrow.Schema, []arrow.Record) {
	t.Helper()
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	build := func(from, to int) arrow.Record {
		for k, c := range columns {
			for i := from; i < to; i++ {
				if nullable && filetest.IsNull(i) {
					builder.Field(k).AppendNull()
				} else {
					c.add(builder.Field(k), i)
				}
			}
		}
		return builder.NewRecord()
	}
	var all arrow.Record
	if asFile {
		all = build(0, n)
	}
	var records []arrow.Record
	for at := 0; at < n; at += max(1, n/3) {
		to := min(n, at+max(1, n/3))
		if asFile {
			records = append(records, all.NewSlice(int64(at), int64(to)))
		} else {
			records = append(records, build(at, to))
		}
	}
	return schema, records
}

// writeArrow writes records with Arrow's own library, as a file or a stream.
func writeArrow(t testing.TB, path string, schema *arrow.Schema, records []arrow.Record, asFile bool, options ...ipc.Option) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	options = append(options, ipc.WithSchema(schema))
	var w interface {
		Write(arrow.Record) error
		Close() error
	} = ipc.NewWriter(file, options...)
	if asFile {
		if w, err = ipc.NewFileWriter(file, options...); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A dictionary may grow from batch to batch (Arrow columnar format, Dictionary messages, isDelta).
func TestArrowDictionaryDeltas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "word", Type: typ}}, nil)
	words := []string{"a", "b", "c"}
	var records []arrow.Record
	for n := 1; n <= 3; n++ {
		values := array.NewStringBuilder(memory.DefaultAllocator)
		values.AppendValues(words[:n], nil)
		indexes := array.NewInt8Builder(memory.DefaultAllocator)
		indexes.AppendValues([]int8{int8(n - 1), 0}, nil)
		column := array.NewDictionaryArray(typ, indexes.NewArray(), values.NewArray())
		records = append(records, array.NewRecord(schema, []arrow.Array{column}, 2))
	}
	writeArrow(t, path, schema, records, false, ipc.WithDictionaryDeltas(true))
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, nil, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	_, kept, err := filetest.Slurp(src, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "a", "b", "a", "c", "a"}, kept[0].Strings); diff != "" {
		t.Error(diff)
	}
}

// arrowSourceOf selects numbers as features and text as kept columns.
func arrowSourceOf(tb column.Table) (stream.Source, error) {
	var numeric, kept []int
	for i, c := range tb.About().Columns {
		switch {
		case c.Kind.Computable():
			numeric = append(numeric, i)
		case c.Kind == column.Text:
			kept = append(kept, i)
		}
	}
	return column.Choose(tb, numeric, kept)
}

// checkArrow compares a source with the columns written.
func checkArrow(t *testing.T, src stream.Source, columns []arrowTestColumn, n int, nullable bool) {
	t.Helper()
	rows, kept, err := filetest.Slurp(src, 77)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != n {
		t.Fatalf("%d rows, want %d", len(rows), n)
	}
	for i, row := range rows {
		var want []float64
		for _, c := range columns {
			if c.floats == nil {
				continue
			}
			v := c.floats(i)
			if nullable && filetest.IsNull(i) {
				v = slices.Repeat([]float64{math.NaN()}, len(v))
			}
			want = append(want, v...)
		}
		if !filetest.SameRow(want, row) {
			t.Fatalf("row %d of %v: %s", i, src.Info().Columns, cmp.Diff(want, row, filetest.SameBits))
		}
	}
	for k := range kept {
		for i := range n {
			null := nullable && filetest.IsNull(i)
			if !kept[k].Null(i) == null || !null && kept[k].Strings[i] != filetest.Text(i) {
				t.Fatalf("%s: row %d is %q", src.Info().Kept[k].Name, i, kept[k].Strings[i])
			}
		}
	}
}

// Columns of every type have the values that the library wrote, from files and streams, plain and compressed.
func TestArrowTypes(t *testing.T) {
	t.Parallel()
	columns := arrowTestColumns()
	path := filepath.Join(t.TempDir(), "a.arrow")
	const n = 400
	for name, options := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
		for _, asFile := range []bool{true, false} {
			for _, nullable := range []bool{true, false} {
				t.Run(fmt.Sprint(name, asFile, nullable), func(t *testing.T) {
					schema, records := arrowRecords(t, columns, n, nullable, asFile)
					writeArrow(t, path, schema, records, asFile, options...)
					tb, err := Open(context.Background(), nil, path)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range tb.About().Columns {
						if c.Name == "decimal" && c.Why != "decimals of 30 digits, rounded to about 16" {
							t.Errorf("%+v", c)
						}
					}
					src, err := arrowSourceOf(tb)
					if err != nil {
						t.Fatal(err)
					}
					checkArrow(t, src, columns, n, nullable)
					if asFile && nullable {
						filetest.CheckGather(t, src)
					}
				})
			}
		}
	}
}

// A list of another length is an error that names its row.
func TestArrowListLengths(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	schema := arrow.NewSchema([]arrow.Field{{Name: "emb", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	write := func(lengths ...int) column.Table {
		lists := builder.Field(0).(*array.ListBuilder)
		for i, length := range lengths {
			if length < 0 {
				lists.AppendNull()
				continue
			}
			lists.Append(true)
			for range length {
				lists.ValueBuilder().(*array.Int64Builder).Append(int64(i)<<52 + int64(i)/3)
			}
		}
		writeArrow(t, path, schema, []arrow.Record{builder.NewRecord()}, true)
		tb, err := filetest.Opened(path, Open)
		if err != nil {
			t.Fatal(err)
		}
		return tb
	}
	for _, length := range []int{0, 2, 4} {
		_, err := column.Choose(write(3, 3, -1, length), []int{0}, nil)
		filetest.WantError(t, err, path, `"emb"`, "lists of different lengths")
	}
	rows, _, err := filetest.Slurp(filetest.ChooseAll(t, write(-1, 2, 2)), 10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{math.NaN(), math.NaN()}, {1 << 52, 1 << 52}, {2 << 52, 2 << 52}}, rows, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	_, _, err = filetest.Slurp(filetest.ChooseAll(t, write(1, 1, 1, 1)), 10)
	filetest.WantError(t, err, path, `"emb"`, "row 3 ", "2^53")
	if kind := write(-1).About().Columns[0].Kind; kind != column.Other {
		t.Errorf("a column of null lists has kind %v", kind)
	}
}

// An integer that float64 cannot represent is an error as a feature, and exact as a kept value.
func TestArrowLargeIntegers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	ids := arrowTestColumn{name: "id", typ: arrow.PrimitiveTypes.Int64, add: func(b array.Builder, i int) {
		b.(*array.Int64Builder).Append(map[bool]int64{true: math.MinInt64 + 1, false: 1 << 53}[i == 700])
	}}
	schema, records := arrowRecords(t, []arrowTestColumn{ids}, 1000, true, true)
	writeArrow(t, path, schema, records, true)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = filetest.Slurp(filetest.ChooseAll(t, tb), 100)
	filetest.WantError(t, err, path, "row 700 ", `"id"`, "-9223372036854775807", "2^53")
	src, err := column.Choose(tb, nil, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	_, kept, err := filetest.Slurp(src, 100)
	if err != nil || kept[0].Ints[700] != math.MinInt64+1 {
		t.Errorf("%v, kept %v", err, kept[0].Ints[700])
	}
}

// smallArrow returns a small file with columns of every type.
func smallArrow(t testing.TB, n int, asFile bool, options ...ipc.Option) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.arrow")
	schema, records := arrowRecords(t, arrowTestColumns(), n, true, asFile)
	writeArrow(t, path, schema, records, asFile, options...)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// messageEnds maps each offset at which a message ends to the number of rows before it.
func messageEnds(t *testing.T, b []byte) map[int]int64 {
	t.Helper()
	x, err := newIndex(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	ends := map[int]int64{int(x.entries[0].at): 0}
	rows := int64(0)
	for _, e := range x.entries {
		rows += e.rows
		ends[int(e.body+e.bodySize)] = rows
	}
	return ends
}

// A proper prefix of a file, or a file with bytes after its end, is an error. A stream may end without its end mark,
// after a message.
func TestArrowCuts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cut.arrow")
	for _, asFile := range []bool{true, false} {
		b := smallArrow(t, 60, asFile)
		ends := messageEnds(t, b)
		for cut := 0; cut < len(b); cut += 4 * (1 + len(b)/1200) {
			if err := os.WriteFile(path, b[:cut], 0o666); err != nil {
				t.Fatal(err)
			}
			tb, err := filetest.Opened(path, Open)
			if rows, ok := ends[cut]; ok && !asFile {
				if err != nil || !tb.About().Unmarked || tb.About().Rows != rows {
					t.Errorf("without its end mark after %d rows: %v", rows, err)
				}
				continue
			}
			if err == nil {
				t.Errorf("%d bytes of %d are enough", cut, len(b))
			}
		}
		if err := os.WriteFile(path, append(b, b...), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := filetest.Opened(path, Open); err == nil {
			t.Error("the file twice is a file")
		}
	}
}

func TestArrowMutants(t *testing.T) {
	t.Parallel()
	t.Run("file", func(t *testing.T) { filetest.CheckMutants(t, smallArrow(t, 100, true), 100, 150, Open) })
	t.Run("stream", func(t *testing.T) { filetest.CheckMutants(t, smallArrow(t, 100, false), 100, 150, Open) })
	t.Run("lz4", func(t *testing.T) { filetest.CheckMutants(t, smallArrow(t, 100, true, ipc.WithLZ4()), 100, 100, Open) })
	t.Run("zstd", func(t *testing.T) {
		filetest.CheckMutants(t, smallArrow(t, 100, false, ipc.WithZstd()), 100, 100, Open)
	})
}

// A small file that claims large sizes is an error, and allocates little memory.
func TestArrowHostileSizesTakeLittleMemory(t *testing.T) {
	b := smallArrow(t, 60, false)
	for name, spoil := range map[string]func([]byte) []byte{
		"metadata": func(b []byte) []byte { binary.LittleEndian.PutUint32(b[4:], 0x3ffffff); return b },
		"lengths": func(b []byte) []byte { // every length that could be one of a buffer
			for i := 0; i+8 <= len(b); i += 8 {
				if v := binary.LittleEndian.Uint64(b[i:]); v > 64 && v < 10000 {
					binary.LittleEndian.PutUint64(b[i:], v<<24)
				}
			}
			return b
		},
	} {
		b := spoil(slices.Clone(b))
		path := filetest.TempFile(t, "a.arrow", string(b))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := filetest.Opened(path, Open)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%s: %d bytes were allocated: %v", name, used, err)
		}
	}
}

// The columns of a batch are read one by one, so memory does not grow with the batch.
func TestArrowMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	const n, d = 100_000, 8
	var columns []arrowTestColumn
	for j := range d {
		columns = append(columns, arrowTestColumn{name: fmt.Sprint(j), typ: arrow.PrimitiveTypes.Float64, add: func(b array.Builder, i int) {
			b.(*array.Float64Builder).Append(float64(i))
		}})
	}
	schema, records := arrowRecords(t, columns, n, false, true)
	writeArrow(t, path, schema, records, true)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tb, err := filetest.Opened(path, Open)
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, tb)
	r, err := src.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	batch := filetest.NewBatch(src, 1000)
	rows := 0
	for err == nil {
		var k int
		k, err = r.Read(batch)
		rows += k
	}
	runtime.ReadMemStats(&after)
	if err != io.EOF || rows != n {
		t.Fatalf("%d rows, %v", rows, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes were allocated for a file of %d", used, n*d*8)
	}
}

func TestArrowSchemaBomb(t *testing.T) {
	// Fields that all have the same two children, 40 levels deep, would be a
	// million million fields.
	b := flatBomb(40)
	m := &message{kind: schemaMessage, meta: b}
	_, err := readSchema(m)
	filetest.WantError(t, err, "fields")
}

// flatBomb returns a schema message in which both children of every field are the next field.
func flatBomb(depth int) []byte {
	var b []byte
	u16 := func(v ...uint16) { b = binary.LittleEndian.AppendUint16(b, v[0]) }
	u32 := func(v int) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	u32(0)
	vtable := func(slots ...int) int { // offsets of fields in a table
		at := len(b)
		u16(uint16(4 + 2*len(slots)))
		u16(64)
		for _, s := range slots {
			u16(uint16(s))
		}
		return at
	}
	message, schema, field := vtable(4, 8, 12), vtable(0, 4), vtable(0, 0, 0, 0, 0, 4)
	table := func(v int) int { at := len(b); u32(at - v); return at }
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	table(message)
	u32(4)             // version
	u32(schemaMessage) // kind
	u32(4)             // the schema comes next
	table(schema)      //
	u32(4)             // its fields come next
	u32(1)             // one
	u32(4)             // which comes next
	for range depth {
		table(field)
		u32(4) // children come next
		u32(2)
		u32(8)
		u32(4)
	}
	table(field)
	u32(4)
	u32(0)
	return append(b, make([]byte, 64)...)
}

func FuzzArrow(f *testing.F) {
	f.Add(smallArrow(f, 3, true))
	f.Add(smallArrow(f, 3, false))
	f.Add([]byte("ARROW1\x00\x00"))
	f.Add(append([]byte("\xff\xff\xff\xff\xe0\x03\x00\x00"), flatBomb(40)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filetest.TempFile(t, "a.arrow", string(b))
		if tb, err := filetest.Opened(path, Open); err == nil {
			if n := filetest.ReadMutant(t, path, Open); n >= 0 && int64(n) != tb.About().Rows {
				t.Fatalf("%d rows, promised %d", n, tb.About().Rows)
			}
		}
	})
}

func BenchmarkArrow(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.arrow")
	filetest.WriteNoise(b, path, NewEncoder, 1_000_000, 20)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) { filetest.MeasurePass(b, tb) })
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := filetest.Opened(path, Open); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestArrowConcurrency(t *testing.T) {
	filetest.CheckConcurrency(t, smallArrow(t, 1200, true), Open)
}
