package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

func FuzzParquet(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a.parquet")
	writeColumns(f, path, append(numberColumns()[:6], textColumns()...), 8, true)
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filetest.TempFile(t, "a.parquet", string(b))
		tb, err := filetest.Opened(path, Open)
		if err != nil || tb.About().Rows > 1<<20 {
			return // a run of a billion equal values is healthy, but takes its time
		}
		if n := filetest.ReadMutant(t, path, Open); n >= 0 && int64(n) != tb.About().Rows {
			t.Fatalf("%d rows, promised %d", n, tb.About().Rows)
		}
	})
}

// testColumn is a column written by parquet-go.
type testColumn struct {
	name  string
	node  parquet.Node
	value func(i int) parquet.Value
	want  func(i int) float64
}

// numberColumns returns columns of every numeric type and encoding that parquet-go writes.
func numberColumns() []testColumn {
	var all []testColumn
	add := func(name string, node parquet.Node, value func(i int) parquet.Value, want func(i int) float64, encodings ...encoding.Encoding) {
		for _, e := range encodings {
			all = append(all, testColumn{name + "_" + strings.ToLower(e.String()), parquet.Encoded(node, e), value, want})
		}
	}
	plain, dict, split, delta, rle := &parquet.Plain, &parquet.RLEDictionary, &parquet.ByteStreamSplit, &parquet.DeltaBinaryPacked, &parquet.RLE
	noise := func(i int) float64 { return math.Sin(float64(i)) * math.Pow(10, float64(i%40-20)) }
	wild := func(i int) int64 { return int64(i%100000) * int64(i%7-3) * 1_000_003 }
	add("double", parquet.Leaf(parquet.DoubleType), func(i int) parquet.Value { return parquet.DoubleValue(noise(i)) }, noise, plain, dict, split)
	few := func(i int) float64 { return float64(i % 5) }
	add("few", parquet.Leaf(parquet.DoubleType), func(i int) parquet.Value { return parquet.DoubleValue(few(i)) }, few, dict)
	add("one", parquet.Leaf(parquet.DoubleType), func(int) parquet.Value { return parquet.DoubleValue(7) }, func(int) float64 { return 7 }, dict)
	add("float", parquet.Leaf(parquet.FloatType), func(i int) parquet.Value { return parquet.FloatValue(float32(noise(i))) },
		func(i int) float64 { return float64(float32(noise(i))) }, plain, dict, split)
	add("int64", parquet.Int(64), func(i int) parquet.Value { return parquet.Int64Value(wild(i)) }, func(i int) float64 { return float64(wild(i)) }, plain, dict, delta, split)
	add("int32", parquet.Int(32), func(i int) parquet.Value { return parquet.Int32Value(int32(wild(i))) }, func(i int) float64 { return float64(int32(wild(i))) }, plain, dict, delta, split)
	add("int8", parquet.Int(8), func(i int) parquet.Value { return parquet.Int32Value(int32(int8(i))) }, func(i int) float64 { return float64(int8(i)) }, plain, delta)
	add("uint32", parquet.Uint(32), func(i int) parquet.Value { return parquet.Int32Value(int32(wild(i))) }, func(i int) float64 { return float64(uint32(wild(i))) }, plain, dict, delta)
	add("uint64", parquet.Uint(64), func(i int) parquet.Value { return parquet.Int64Value(int64(i) << 20) }, func(i int) float64 { return float64(int64(i) << 20) }, plain, delta)
	odd := func(i int) bool { return i%3 == 0 || i%100 > 50 }
	add("bool", parquet.Leaf(parquet.BooleanType), func(i int) parquet.Value { return parquet.BooleanValue(odd(i)) },
		func(i int) float64 { return map[bool]float64{true: 1}[odd(i)] }, plain, rle)
	add("decimal", parquet.Decimal(2, 9, parquet.Int32Type), func(i int) parquet.Value { return parquet.Int32Value(int32(i - 50)) }, func(i int) float64 { return float64(i-50) / 100 }, plain)
	short := func(i int) parquet.Value { return parquet.FixedLenByteArrayValue([]byte{0, byte(i >> 8), byte(i)}) }
	add("short", parquet.Decimal(1, 6, parquet.FixedLenByteArrayType(3)), short, func(i int) float64 { return float64(i) / 10 }, plain, dict)
	add("date", parquet.Date(), func(i int) parquet.Value { return parquet.Int32Value(int32(i)) }, func(i int) float64 { return float64(i) }, plain)
	add("time", parquet.Timestamp(parquet.Millisecond), func(i int) parquet.Value { return parquet.Int64Value(int64(i) * 1000) }, func(i int) float64 { return float64(i) * 1000 }, plain)
	long := func(i int) [16]byte {
		var b [16]byte
		v := int64(i-100) * 1_000_000_007
		if v < 0 {
			b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7] = 255, 255, 255, 255, 255, 255, 255, 255
		}
		binary.BigEndian.PutUint64(b[8:], uint64(v))
		return b
	}
	add("long", parquet.Decimal(3, 38, parquet.FixedLenByteArrayType(16)), func(i int) parquet.Value { b := long(i); return parquet.FixedLenByteArrayValue(b[:]) },
		func(i int) float64 { return float64(int64(i-100)*1_000_000_007) / 1000 }, plain, dict)
	return all
}

// textColumns returns columns of strings in every encoding.
func textColumns() []testColumn {
	var all []testColumn
	for _, e := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray} {
		all = append(all, testColumn{
			name: "text_" + strings.ToLower(e.String()), node: parquet.Encoded(parquet.String(), e),
			value: func(i int) parquet.Value { return parquet.ByteArrayValue([]byte(filetest.Text(i))) },
		})
	}
	return all
}

// writeColumns writes n rows of columns with parquet-go, in row groups of several sizes.
func writeColumns(t testing.TB, path string, columns []testColumn, n int, nullable bool, options ...parquet.WriterOption) {
	t.Helper()
	group := parquet.Group{}
	var names []string
	for _, c := range columns {
		node := c.node
		if nullable {
			node = parquet.Optional(node)
		}
		group[c.name] = node
		names = append(names, c.name)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := parquet.NewWriter(file, append(options, parquet.NewSchema("test", orderedGroup{group, names}))...)
	for at := 0; at < n; {
		rows := min(n-at, n/2+1)
		for k, c := range columns {
			var values []parquet.Value
			for i := at; i < at+rows; i++ {
				switch {
				case nullable && filetest.IsNull(i):
					values = append(values, parquet.NullValue().Level(0, 0, k))
				case nullable:
					values = append(values, c.value(i).Level(0, 1, k))
				default:
					values = append(values, c.value(i).Level(0, 0, k))
				}
			}
			for len(values) > 0 { // in pieces, or pages would grow without end
				m := min(200, len(values))
				if _, err := w.ColumnWriters()[k].WriteRowValues(values[:m]); err != nil {
					t.Fatal(err)
				}
				values = values[m:]
			}
		}
		at += rows
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Every type, encoding, codec, page version and page size is read, with and without nulls.
func TestParquetTypes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.parquet")
	columns := append(numberColumns(), textColumns()...)
	const n = 1300
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli, &parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			for _, nullable := range []bool{false, true} {
				if codec != &parquet.Uncompressed && nullable != (version == 2) {
					continue // a codec does not care
				}
				size := map[bool]int{false: 700, true: 1 << 20}[version == 1 != nullable]
				t.Run(fmt.Sprint(codec, "_v", version, "_", nullable), func(t *testing.T) {
					writeColumns(t, path, columns, n, nullable, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(size))
					tb, err := Open(context.Background(), nil, path)
					if err != nil {
						t.Fatal(err)
					}
					src := checkColumns(t, tb, columns, n, nullable)
					if codec == &parquet.Zstd {
						filetest.CheckGather(t, src)
					}
				})
			}
		}
	}
}

// checkColumns compares a table with the columns written.
func checkColumns(t *testing.T, tb column.Table, columns []testColumn, n int, nullable bool) stream.Source {
	t.Helper()
	if tb.About().Rows != int64(n) {
		t.Fatalf("%d rows, want %d", tb.About().Rows, n)
	}
	numbers, texts := filetest.ComputableColumns(tb)
	src, err := column.Choose(tb, numbers, texts)
	if err != nil {
		t.Fatal(err)
	}
	rows, kept, err := filetest.Slurp(src, 777)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != n {
		t.Fatalf("%d rows, want %d", len(rows), n)
	}
	for j, c := range columns[:len(numbers)] {
		for i, row := range rows {
			want := math.NaN()
			if !nullable || !filetest.IsNull(i) {
				want = c.want(i)
			}
			if math.Float64bits(row[j]) != math.Float64bits(want) && !(math.IsNaN(row[j]) && math.IsNaN(want)) {
				t.Fatalf("%s: row %d is %v, want %v", c.name, i, row[j], want)
			}
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
	return src
}

// testLists writes lists of the given lengths, null for −1. Element i is the number i, or null if nulls is set and i%10
// = 9.
func testLists(t testing.TB, path string, node parquet.Node, lengths []int, nulls bool, options ...parquet.WriterOption) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	schema := parquet.NewSchema("test", parquet.Group{"emb": node})
	leaf, _ := schema.Lookup(schema.Columns()[0]...)
	w := parquet.NewWriter(file, append(options, schema)...)
	column := w.ColumnWriters()[0]
	next := 0
	for _, length := range lengths {
		var row []parquet.Value
		for k := range max(length, 0) {
			v := parquet.FloatValue(float32(next)).Level(min(k, 1), leaf.MaxDefinitionLevel, 0)
			if nulls && next%10 == 9 {
				v = parquet.NullValue().Level(min(k, 1), leaf.MaxDefinitionLevel-1, 0)
			}
			row = append(row, v)
			next++
		}
		if length == 0 {
			row = append(row, parquet.NullValue().Level(0, leaf.MaxDefinitionLevel-1-map[bool]int{true: 1}[nulls], 0))
		}
		if length < 0 {
			row = append(row, parquet.NullValue().Level(0, 0, 0))
		}
		if _, err := column.WriteRowValues(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestParquetLists(t *testing.T) {
	t.Parallel()
	float := parquet.Leaf(parquet.FloatType)
	nodes := map[string]parquet.Node{
		"list":             parquet.List(float),
		"optional list":    parquet.Optional(parquet.List(float)),
		"optional element": parquet.Optional(parquet.List(parquet.Optional(float))),
		"bare":             parquet.Repeated(float),
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	for name, node := range nodes {
		for version := 1; version <= 2; version++ {
			for _, size := range []int{100, 1 << 20} {
				t.Run(fmt.Sprint(name, version, size), func(t *testing.T) {
					checkLists(t, path, node, name, version, size)
				})
			}
		}
	}
}

func checkLists(t *testing.T, path string, node parquet.Node, name string, version, size int) {
	lengths := slices.Repeat([]int{3}, 2000)
	nullLists := strings.HasPrefix(name, "optional")
	nulls := name == "optional element"
	if nullLists {
		lengths[0], lengths[100], lengths[1999] = -1, -1, -1
	}
	testLists(t, path, node, lengths, nulls, parquet.DataPageVersion(version), parquet.PageBufferSize(size))
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]column.Info{{Name: "emb", Kind: column.Vector, Width: 3}}, tb.About().Columns, cmp.AllowUnexported(column.Info{})); diff != "" {
		t.Fatal(diff)
	}
	src := filetest.ChooseAll(t, tb)
	if diff := cmp.Diff([]string{"emb.0", "emb.1", "emb.2"}, src.Info().Columns); diff != "" {
		t.Fatal(diff)
	}
	rows, _, err := filetest.Slurp(src, 97)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	for i, row := range rows {
		for k, v := range row {
			want := math.NaN()
			if lengths[i] >= 0 {
				if want = float64(next); nulls && next%10 == 9 {
					want = math.NaN()
				}
				next++
			}
			if v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
				t.Fatalf("row %d, element %d is %v, want %v", i, k, v, want)
			}
		}
	}
	if len(rows) != len(lengths) {
		t.Fatalf("%d rows, want %d", len(rows), len(lengths))
	}
	filetest.CheckGather(t, src)
	filetest.CheckSlots(t, tb)
}

// A list of another length is an error that names its row. If the number of entries shows it earlier, the column is
// left out.
func TestParquetListLengths(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	node := parquet.Optional(parquet.List(parquet.Leaf(parquet.FloatType)))
	for _, length := range []int{0, 2, 4} {
		for _, at := range []int{1, 700, 1998} {
			lengths := slices.Repeat([]int{3}, 2000)
			lengths[at] = length
			if length > 0 {
				testLists(t, path, node, lengths, false, parquet.PageBufferSize(1000))
				tb, err := Open(context.Background(), nil, path)
				if err != nil || tb.About().Columns[0].Why != "lists of different lengths" {
					t.Fatal(tb.About().Columns, err)
				}
				lengths[at+1] = 6 - length // as many in all
			}
			testLists(t, path, node, lengths, false, parquet.PageBufferSize(1000))
			tb, err := Open(context.Background(), nil, path)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = filetest.Slurp(filetest.ChooseAll(t, tb), 50)
			filetest.WantError(t, err, path, `"emb"`, fmt.Sprintf("row %d ", at), "leave the column out with `Options.Columns '!emb'`")
		}
	}
	testLists(t, path, node, []int{-1, -1}, false)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	if kind := tb.About().Columns[0].Kind; kind != column.Other {
		t.Errorf("a column of null lists has kind %v", kind)
	}
}

// A row may span several pages, and a page may contain only part of a row. No entry is lost, from any first row.
func TestParquetRowsAcrossPages(t *testing.T) {
	const rows, width = 60, 5
	for _, version := range []int{1, 2} {
		for _, size := range []int{1, 2, 3, 4, 5, 7, 13, 299} {
			var pages [][]byte
			for from := 0; from < rows*width; from += size {
				pages = append(pages, listPage(t, version, width, from, min(from+size, rows*width)))
			}
			path := handmadeFile(t, rows, pages, func(m *format.FileMetaData) {
				m.Schema[1].RepetitionType = thrift.New(format.Repeated)
				m.RowGroups[0].Columns[0].MetaData.NumValues = rows * width
			})
			tb, err := Open(context.Background(), nil, path)
			if err != nil {
				t.Fatal(err)
			}
			if c := tb.About().Columns[0]; c.Width != width {
				t.Fatalf("version %d, pages of %d: a column of width %d (%s)", version, size, c.Width, c.Why)
			}
			src := filetest.ChooseAll(t, tb)
			got, _, err := filetest.Slurp(src, 7)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range got {
				for k, v := range row {
					if v != float64(i*width+k) {
						t.Fatalf("version %d, pages of %d: row %d is %v", version, size, i, row)
					}
				}
			}
			filetest.CheckGather(t, src)
		}
	}
}

// listPage returns a page with entries from to to-1 of lists of the given width. Entry k is the number k.
func listPage(t testing.TB, version, width, from, to int) []byte {
	var reps, values []byte
	begin := 0
	for i := from; i < to; i++ {
		again := byte(min(i%width, 1))
		begin += 1 - int(again)
		reps = append(reps, 2, again) // a run of one
		values = binary.LittleEndian.AppendUint64(values, math.Float64bits(float64(i)))
	}
	defs := append(binary.AppendUvarint(nil, uint64(to-from)<<1), 1) // one run
	long := func(b []byte) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...) }
	if version == 1 {
		return filetest.ParquetPage(t, to-from, slices.Concat(long(reps), long(defs), values), nil)
	}
	return filetest.ParquetPage(t, to-from, slices.Concat(reps, defs, values), func(h *format.PageHeader) {
		h.Type, h.DataPageHeader = format.DataPageV2, thrift.Null[format.DataPageHeader]{}
		h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: int32(to - from), NumRows: int32(begin), Encoding: format.Plain,
			RepetitionLevelsByteLength: int32(len(reps)), DefinitionLevelsByteLength: int32(len(defs))})
	})
}

// An integer that float64 cannot represent is an error as a feature, and exact as a label.
func TestParquetLargeIntegers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	large := testColumn{name: "id", node: parquet.Int(64), value: func(i int) parquet.Value {
		return parquet.Int64Value(map[bool]int64{true: math.MinInt64 + 1, false: 1 << 53}[i == 700])
	}}
	for _, nullable := range []bool{false, true} {
		writeColumns(t, path, []testColumn{large}, 1000, nullable)
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
		if err != nil || kept[0].Ints[700] != math.MinInt64+1 || kept[0].Ints[0] != 1<<53 {
			t.Errorf("%v, kept %v", err, kept[0].Ints[:5])
		}
	}
	unsigned := testColumn{name: "id", node: parquet.Uint(64), value: func(i int) parquet.Value { return parquet.Int64Value(-int64(i)) }}
	writeColumns(t, path, []testColumn{unsigned}, 10, false)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, nil, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	_, kept, err := filetest.Slurp(src, 100)
	if err != nil || kept[0].Ints[1] != -1 || src.Info().Kept[0].Type.String() != "uint64" {
		t.Errorf("%v, kept %v", err, kept)
	}
}

func TestParquetSchema(t *testing.T) {
	type element = format.SchemaElement
	double, text := thrift.New(format.Double), thrift.New(format.ByteArray)
	optional, repeated := thrift.New(format.Optional), thrift.New(format.Repeated)
	group := func(n int32) thrift.Null[int32] { return thrift.New(n) }
	list := format.LogicalType{Value: &format.ListType{}}
	elements := []element{
		{Name: "root", NumChildren: group(7)},
		{Name: "x", Type: double},
		{Name: "point", NumChildren: group(2), RepetitionType: optional}, {Name: "x", Type: double}, {Name: "y", Type: double, RepetitionType: optional},
		{Name: "two", NumChildren: group(1), LogicalType: list}, {Name: "array", Type: double, RepetitionType: repeated},
		{Name: "pairs", NumChildren: group(1), ConvertedType: thrift.New(deprecated.List)}, {Name: "list", NumChildren: group(2), RepetitionType: repeated}, {Name: "a", Type: double}, {Name: "b", Type: text},
		{Name: "nested", NumChildren: group(1), LogicalType: list}, {Name: "list", NumChildren: group(1), RepetitionType: repeated},
		{Name: "element", NumChildren: group(1), LogicalType: list}, {Name: "list", NumChildren: group(1), RepetitionType: repeated}, {Name: "element", Type: double},
		{Name: "bytes", Type: text, ConvertedType: thrift.New(deprecated.Bson)},
		{Name: "words", Type: text, RepetitionType: repeated},
	}
	got, err := leavesOf(elements)
	if err != nil {
		t.Fatal(err)
	}
	want := []leafColumn{
		{Info: column.Info{Name: "x", Kind: column.Number, Width: 1}},
		{Info: column.Info{Name: "point.x", Kind: column.Number, Width: 1}, maxDef: 1},
		{Info: column.Info{Name: "point.y", Kind: column.Number, Width: 1}, maxDef: 2},
		{Info: column.Info{Name: "two", Kind: column.Vector, Width: 1}, maxRep: 1, maxDef: 1, listDef: 1},
		{Info: column.Info{Name: "pairs.a", Kind: column.Other, Width: 1, Why: "lists of structures, such as a map"}, maxRep: 1, maxDef: 1, listDef: 1},
		{Info: column.Info{Name: "pairs.b", Kind: column.Other, Width: 1, Why: "lists of structures, such as a map"}, maxRep: 1, maxDef: 1, listDef: 1},
		{Info: column.Info{Name: "nested", Kind: column.Other, Width: 1, Why: "lists of lists"}, maxRep: 2, maxDef: 2, listDef: 2},
		{Info: column.Info{Name: "bytes", Kind: column.Other, Width: 1, Why: "bytes"}},
		{Info: column.Info{Name: "words", Kind: column.Other, Width: 1, Why: "lists of text"}, maxRep: 1, maxDef: 1, listDef: 1},
	}
	ignore := cmpopts.IgnoreFields(leafColumn{}, "physical", "format", "size", "Type")
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(leafColumn{}, column.Info{}), ignore); diff != "" {
		t.Error(diff)
	}
	for cut := range elements {
		if _, err := leavesOf(elements[:cut]); err == nil {
			t.Errorf("%d elements of the schema are enough", cut)
		}
	}
	deep := []element{{Name: "root", NumChildren: group(1)}}
	for range 5000 {
		deep = append(deep, element{Name: "g", NumChildren: group(1)})
	}
	_, err = leavesOf(deep)
	filetest.WantError(t, err, "deep")
}

// handmadeFile returns a Parquet file with a column x from the given pages. change may modify the footer.
func handmadeFile(t testing.TB, rows int64, pages [][]byte, change func(*format.FileMetaData)) string {
	t.Helper()
	return filetest.TempFile(t, "a.parquet", filetest.ParquetFile(t, rows, pages, change))
}

// doublePage returns a page of the plain float64 0, 1, …. change may modify its header.
func doublePage(t testing.TB, n int, change func(*format.PageHeader)) []byte {
	t.Helper()
	return filetest.ParquetPage(t, n, filetest.ParquetDoubles(n), change)
}

func TestParquetBrokenFooters(t *testing.T) {
	type meta = format.FileMetaData
	chunk := func(m *meta) *format.ColumnMetaData { return &m.RowGroups[0].Columns[0].MetaData }
	tests := []struct {
		name   string
		change func(*meta)
		words  []string
	}{
		{"more rows", func(m *meta) { m.NumRows = 101 }, []string{"100 rows", "101"}},
		{"negative rows", func(m *meta) { m.NumRows, m.RowGroups[0].NumRows = -1, -1 }, []string{"row group 0", "-1 rows"}},
		{"too few values", func(m *meta) { chunk(m).NumValues = 99 }, []string{"row group 0", `"x"`, "99 values for 100 rows"}},
		{"too many values", func(m *meta) { chunk(m).NumValues = 101 }, []string{"101 values for 100 rows"}},
		{"no columns", func(m *meta) { m.RowGroups[0].Columns = nil }, []string{"0 columns, the schema 1"}},
		{"offset before the file", func(m *meta) { chunk(m).DataPageOffset = -5 }, []string{"-5", "not within the file"}},
		{"offset behind the file", func(m *meta) { chunk(m).DataPageOffset = 1 << 40 }, []string{"not within the file"}},
		{"negative size", func(m *meta) { chunk(m).TotalCompressedSize = -1 }, []string{"not within the file"}},
		{"size beyond the file", func(m *meta) { chunk(m).TotalCompressedSize = math.MaxInt64 }, []string{"not within the file"}},
		{"another type", func(m *meta) { chunk(m).Type = format.Float }, []string{"FLOAT", "DOUBLE"}},
		{"no schema", func(m *meta) { m.Schema = m.Schema[:0] }, []string{"schema"}},
		{"schema too long", func(m *meta) { m.Schema[0].NumChildren.V = 0 }, []string{"schema"}},
		{"row groups twice", func(m *meta) { m.RowGroups = append(m.RowGroups, m.RowGroups[0]) }, []string{"200 rows", "100"}},
		{"overflow", func(m *meta) {
			g := m.RowGroups[0]
			m.RowGroups = nil
			for range 2 {
				g.Columns = slices.Clone(g.Columns)
				g.NumRows, g.Columns[0].MetaData.NumValues = math.MaxInt64, math.MaxInt64
				m.RowGroups = append(m.RowGroups, g)
			}
		}, []string{"row group 1"}},
		{"encrypted", func(m *meta) { m.EncryptionAlgorithm.Value = &format.AesGcmV1{} }, []string{"encrypted"}},
	}
	for _, test := range tests {
		path := handmadeFile(t, 100, [][]byte{doublePage(t, 100, nil)}, test.change)
		_, err := filetest.Opened(path, Open)
		filetest.WantError(t, err, append(test.words, path)...)
	}
	elsewhere, err := filetest.Opened(handmadeFile(t, 100, [][]byte{doublePage(t, 100, nil)}, func(m *meta) { m.RowGroups[0].Columns[0].FilePath = "b" }), Open)
	if err != nil {
		t.Fatal(err)
	}
	_, err = column.Choose(elsewhere, []int{0}, nil)
	filetest.WantError(t, err, `"x"`, `in another file, "b"`, "leave it out")
	path := handmadeFile(t, 100, [][]byte{doublePage(t, 100, nil)}, func(m *meta) { chunk(m).Codec = format.LZO })
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = column.Choose(tb, []int{0}, nil)
	filetest.WantError(t, err, path, "LZO", `"x"`)
}

func TestParquetBrokenPages(t *testing.T) {
	type header = format.PageHeader
	good := doublePage(t, 100, nil)
	tests := []struct {
		name  string
		pages [][]byte
		words []string
	}{
		{"short page", [][]byte{good, doublePage(t, 100, func(h *header) { h.CompressedPageSize, h.UncompressedPageSize = 80, 80 })}, []string{"ends before its values"}},
		{"a page too few", [][]byte{good}, []string{"100 of its 200 values"}},
		{"a page too many", [][]byte{good, good, good}, nil}, // the third is never looked at
		{"too many values", [][]byte{good, doublePage(t, 101, nil)}, []string{"101 values where only 100 are missing"}},
		{"negative values", [][]byte{good, doublePage(t, 100, func(h *header) { h.DataPageHeader.V.NumValues = -1 })}, []string{"-1 values"}},
		{"negative size", [][]byte{good, doublePage(t, 100, func(h *header) { h.CompressedPageSize = -1 })}, []string{"-1 bytes"}},
		{"huge size", [][]byte{good, doublePage(t, 100, func(h *header) { h.CompressedPageSize = math.MaxInt32 })}, []string{"2147483647 bytes"}},
		{"huge size unpacked", [][]byte{good, doublePage(t, 100, func(h *header) { h.UncompressedPageSize = math.MaxInt32 })}, []string{"limit"}},
		{"wrong size unpacked", [][]byte{good, doublePage(t, 100, func(h *header) { h.UncompressedPageSize++ })}, []string{"801"}},
		{"checksum", [][]byte{good, doublePage(t, 100, func(h *header) { h.CRC = 1 })}, []string{"checksum"}},
		{"no type", [][]byte{good, doublePage(t, 100, func(h *header) { h.Type = 77 })}, []string{"no type"}},
		{"encoding", [][]byte{good, doublePage(t, 100, func(h *header) { h.DataPageHeader.V.Encoding = format.DeltaByteArray })}, []string{"DELTA_BYTE_ARRAY", "not supported"}},
		{"no dictionary", [][]byte{good, doublePage(t, 100, func(h *header) { h.DataPageHeader.V.Encoding = format.RLEDictionary })}, []string{"no dictionary"}},
		{"nothing but zeros", [][]byte{good, make([]byte, 900)}, []string{"header is damaged"}},
	}
	for _, test := range tests {
		path := handmadeFile(t, 200, test.pages, nil)
		tb, err := filetest.Opened(path, Open)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		rows, _, err := filetest.Slurp(filetest.ChooseAll(t, tb), 30)
		if test.words == nil {
			if err != nil || len(rows) != 200 {
				t.Errorf("%s: %d rows, %v", test.name, len(rows), err)
			}
			continue
		}
		filetest.WantError(t, err, append(test.words, path, `"x"`, "row group 0")...)
	}
}

// A small file that claims large sizes is an error, and allocates little memory.
func TestParquetHostileSizesTakeLittleMemory(t *testing.T) {
	claim := func(kind, size byte) string { // a list field 2 of 2^31-1 elements
		footer := "\x15\x02\x19" + string([]byte{0xf0 | kind, 0xff, 0xff, 0xff, 0xff, 0x07}) + strings.Repeat(string([]byte{size}), 4000)
		return "PAR1" + footer + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1"
	}
	huge := func(codec format.CompressionCodec) string {
		page := doublePage(t, 100, func(h *format.PageHeader) {
			h.UncompressedPageSize = maxPageBytes
			h.DataPageHeader.V.NumValues = maxPageBytes / 8
		})
		path := handmadeFile(t, maxPageBytes/8, [][]byte{page}, func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].MetaData.Codec = codec })
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	files := map[string]string{
		"list of structures": claim(thriftStruct, 0), "list of lists": claim(thriftList, 0x19), "list of strings": claim(thriftBinary, 1),
		"footer": "PAR1" + strings.Repeat("x", 4000) + "\xff\xff\xff\x03PAR1",
		"snappy": huge(format.Snappy), "gzip": huge(format.Gzip), "lz4": huge(format.Lz4Raw), "zstd": huge(format.Zstd),
	}
	for name, content := range files {
		path := filetest.TempFile(t, "a.parquet", content)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tb, err := filetest.Opened(path, Open)
		if err == nil {
			_, _, err = filetest.Slurp(filetest.ChooseAll(t, tb), 100)
		}
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%s: %d bytes were allocated: %v", name, used, err)
		}
	}
}

// smallParquet returns a small file with columns of every type.
func smallParquet(t testing.TB, n int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.parquet")
	columns := append(numberColumns(), textColumns()...)
	writeColumns(t, path, columns, n, true, parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(2000))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParquetCuts(t *testing.T) {
	t.Parallel()
	b := smallParquet(t, 200)
	path := filepath.Join(t.TempDir(), "cut.parquet")
	for cut := 0; cut < len(b); cut += 1 + len(b)/400 {
		if err := os.WriteFile(path, b[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := filetest.Opened(path, Open); err == nil {
			t.Errorf("%d bytes of %d are enough", cut, len(b))
		}
	}
}

func TestParquetMutants(t *testing.T) {
	t.Parallel()
	filetest.CheckMutants(t, smallParquet(t, 500), 500, 200, Open)
	path := filepath.Join(t.TempDir(), "lists.parquet")
	node := parquet.Optional(parquet.List(parquet.Optional(parquet.Leaf(parquet.FloatType))))
	testLists(t, path, node, slices.Repeat([]int{4}, 500), true, parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(500))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	filetest.CheckMutants(t, b, 500, 200, Open)
}

// A file that is replaced between two passes is an error.
func TestParquetThatChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	writeColumns(t, path, numberColumns()[:1], 100, false)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, tb)
	writeColumns(t, path, numberColumns()[:1], 101, false)
	_, _, err = filetest.Slurp(src, 10)
	filetest.WantError(t, err, path, "changed")
}

func TestParquetChoice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	columns := append(numberColumns()[:2], textColumns()[0])
	writeColumns(t, path, columns, 10, false)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, []int{1, 0}, []int{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	want := stream.Info{Name: path, Rows: 10, SeekCost: 6, ReaderBytes: src.Info().ReaderBytes, Versions: tb.About().Versions, Columns: []string{columns[1].name, columns[0].name},
		Kept: []stream.Field{{Name: columns[2].name, Kind: stream.String, NoNulls: true}, {Name: columns[0].name, Kind: stream.Float64, NoNulls: true}}}
	if diff := cmp.Diff(want, src.Info()); diff != "" {
		t.Error(diff)
	}
	_, err = column.Choose(tb, []int{2}, nil)
	filetest.WantError(t, err, path, columns[2].name, "numbers")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := src.Open(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	if _, err := r.Read(filetest.NewBatch(src, 3)); err != context.Canceled {
		t.Errorf("read after cancel: %v", err)
	}
}

func BenchmarkParquet(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.parquet")
	filetest.WriteNoise(b, path, NewEncoder, 1_000_000, 20)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) { filetest.MeasurePass(b, tb) })
	b.Run("gather", func(b *testing.B) {
		src := filetest.ChooseAll(b, tb).(stream.Gatherer)
		var rows []int64
		for row := int64(0); row < 1_000_000; row += 2000 {
			rows = append(rows, row)
		}
		batch := filetest.NewBatch(src, len(rows))
		b.ReportAllocs()
		for b.Loop() {
			if err := src.Gather(b.Context(), rows, batch); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestParquetConcurrency(t *testing.T) { filetest.CheckConcurrency(t, smallParquet(t, 1200), Open) }

// Footers and column chunks may have key-value metadata without a value, which is ignored.
func TestParquetKeyWithoutValue(t *testing.T) {
	keys := []format.KeyValue{{Key: "maker"}}
	for name, change := range map[string]func(f *format.FileMetaData){
		"footer": func(f *format.FileMetaData) { f.KeyValueMetadata = keys },
		"chunk":  func(f *format.FileMetaData) { f.RowGroups[0].Columns[0].MetaData.KeyValueMetadata = keys },
	} {
		b, err := os.ReadFile(handmadeFile(t, 3, [][]byte{doublePage(t, 3, nil)}, change))
		if err != nil {
			t.Fatal(err)
		}
		// A key and a value are each a header, a length and bytes; an end mark follows.
		entry := []byte("\x18\x05maker\x18\x00\x00")
		at := bytes.Index(b, entry)
		if at < 0 {
			t.Fatalf("%s: the entry is not in the footer", name)
		}
		end := len(b) - footerTail
		length := binary.LittleEndian.Uint32(b[end:])
		binary.LittleEndian.PutUint32(b[end:], length-2)
		path := filetest.TempFile(t, "a.parquet", string(slices.Delete(b, at+len(entry)-3, at+len(entry)-1)))
		src, err := filetest.Opened(path, Open)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if src.About().Rows != 3 {
			t.Errorf("%s: %d rows", name, src.About().Rows)
		}
	}
}

// A file without rows is read, with or without an empty row group, whatever the offsets of its pages. A pass reads no
// pages.
func TestParquetWithoutRows(t *testing.T) {
	for name, change := range map[string]func(f *format.FileMetaData){
		"no row group": func(f *format.FileMetaData) { f.RowGroups = nil },
		"no pages":     func(f *format.FileMetaData) { f.RowGroups[0].Columns[0].MetaData.DataPageOffset = 0 },
		"hostile offsets": func(f *format.FileMetaData) {
			c := &f.RowGroups[0].Columns[0].MetaData
			c.DataPageOffset, c.TotalCompressedSize = math.MinInt64, math.MaxInt64
		},
	} {
		tb, err := Open(t.Context(), nil, handmadeFile(t, 0, nil, change))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		src := filetest.ChooseAll(t, tb)
		rows, _, err := filetest.Slurp(src, 10)
		if err != nil || len(rows) != 0 || src.Info().SeekCost != 1 {
			t.Errorf("%s: %d rows, lead %d, %v", name, len(rows), src.Info().SeekCost, err)
		}
		filetest.CheckGather(t, src)
	}
}

// Unannotated byte arrays are text if the first values are valid UTF-8.
func TestParquetBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	leaf := parquet.Leaf(parquet.ByteArrayType)
	value := func(format string) func(i int) parquet.Value {
		return func(i int) parquet.Value { return parquet.ByteArrayValue(fmt.Appendf(nil, format, i)) }
	}
	writeColumns(t, path, []testColumn{{name: "bytes", node: leaf, value: value("\xff%d")}, {name: "text", node: leaf, value: value("é%d")}, numberColumns()[0]}, 30, true)
	tb, err := filetest.Opened(path, Open)
	if err != nil {
		t.Fatal(err)
	}
	columns := tb.About().Columns
	if c := columns[0]; c.Kind != column.Other || c.Why != "bytes" || columns[1].Kind != column.Text {
		t.Fatalf("%+v", columns)
	}
	src, err := column.Choose(tb, []int{2}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	if rows, kept, err := filetest.Slurp(src, 7); err != nil || len(rows) != 30 || kept[0].Strings[29] != "é29" {
		t.Error(len(rows), kept, err)
	}
}

// Decimals with more bytes than any format has digits for are not numbers.
func TestParquetLongDecimals(t *testing.T) {
	for _, size := range []int{column.MaxDecimal, column.MaxDecimal + 1, 200} {
		value := append(make([]byte, size-1), 7)
		if size > 100 { // beyond every float64
			value[0] = 1
		}
		path := filepath.Join(t.TempDir(), "a.parquet")
		writeColumns(t, path, []testColumn{
			{name: "fixed", node: parquet.Decimal(0, 70, parquet.FixedLenByteArrayType(size)), value: func(int) parquet.Value { return parquet.FixedLenByteArrayValue(value) }},
			{name: "varying", node: parquet.Decimal(0, 70, parquet.ByteArrayType), value: func(int) parquet.Value { return parquet.ByteArrayValue(value) }},
		}, 3, false)
		tb, err := filetest.Opened(path, Open)
		if err != nil {
			t.Fatal(err)
		}
		short := size <= column.MaxDecimal
		if c := tb.About().Columns[0]; (c.Kind == column.Number) != short || !short && c.Why != fmt.Sprintf("decimals of %d bytes", size) {
			t.Errorf("%d bytes: %+v", size, c)
		}
		src, err := column.Choose(tb, []int{1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := filetest.Slurp(src, 7)
		if why := tb.About().Columns[1].Why; why != "decimals of 70 digits, rounded to about 16" {
			t.Errorf("%d bytes: %q", size, why)
		}
		if short && (err != nil || rows[2][0] != 7) {
			t.Errorf("%d bytes: %v, %v", size, rows, err)
		}
		if !short {
			filetest.WantError(t, err, `"varying"`, fmt.Sprintf("a decimal of %d bytes", size), "leave the column out")
		}
	}
}

// INT96 timestamps are nanoseconds since 1970 if 64 bits can represent them, from 1677 on.
func TestParquetInt96(t *testing.T) {
	for day, want := range map[int64]float64{0: 0, -1: -864e11, -106751: -106751 * 864e11, 106750: 106750 * 864e11, -106752: math.NaN(), 106752: math.NaN(), -719162: math.NaN()} {
		path := filepath.Join(t.TempDir(), "a.parquet")
		value := parquet.Int96Value(deprecated.Int96{0, 0, uint32(2440588 + day)})
		writeColumns(t, path, []testColumn{{name: "t", node: parquet.Leaf(parquet.Int96Type), value: func(int) parquet.Value { return value }}}, 1, false)
		tb, err := filetest.Opened(path, Open)
		if err != nil {
			t.Fatal(err)
		}
		src, err := column.ChooseInexact(tb, []int{0}, nil, column.InexactRound)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := filetest.Slurp(src, 7)
		if math.IsNaN(want) {
			filetest.WantError(t, err, time.Unix(day*86400, 0).UTC().Format("2006-01-02"), "the years 1678 to 2261; leave the column out")
		} else if err != nil || rows[0][0] != want {
			t.Errorf("day %d: %v, %v", day, rows, err)
		}
	}
}
