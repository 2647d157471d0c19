package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// written writes b in batches of the given size, and opens the file with parquet-go.
func written(t *testing.T, start column.StartEncoder, info stream.Info, b *stream.Batch, batch int) (*parquet.File, []byte) {
	t.Helper()
	var out bytes.Buffer
	e, err := start(&out, info)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < b.X.Rows; at += batch {
		n := min(batch, b.X.Rows-at)
		if err := e.Encode(filetest.BatchPart(b, at, n), n); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Finish(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f, out.Bytes()
}

// readBack compares a file, read by our reader, with b.
func readBack(t *testing.T, file []byte, b *stream.Batch) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	tb, err := Open(t.Context(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	var numbers, kept []int
	for i := range tb.About().Columns {
		if i < b.X.Cols {
			numbers = append(numbers, i)
		} else {
			kept = append(kept, i)
		}
	}
	src, err := column.Choose(tb, numbers, kept)
	if err != nil {
		t.Fatal(err)
	}
	if diff := filetest.Diff(b, filetest.MustRead(t, src, 1000)); diff != "" {
		t.Error(diff[:min(len(diff), 1000)])
	}
}

// rowsOf returns the rows of each row group.
func rowsOf(f *parquet.File) (rows []int64) {
	for _, g := range f.Metadata().RowGroups {
		rows = append(rows, g.NumRows)
	}
	return rows
}

// Row groups hold 16 MiB of numbers or a share of the memory, and at most a million rows, for any batches.
func TestRowGroupSizes(t *testing.T) {
	for _, c := range []struct {
		memory        int64
		rows, columns int
		want          []int64
	}{
		{0, 1_000_100, 1, []int64{1_000_000, 100}},
		{0, 30_000, 100, []int64{20_971, 9_029}},
		{0, 3000, 1000, []int64{2097, 903}},
		{1 << 40, 30_000, 100, []int64{30_000}},
		{64 << 20, 150_000, 2, []int64{131_072, 18_928}},
		{1, 40_000, 4, []int64{32_768, 7_232}},
		{0, 0, 3, nil},
	} {
		info := stream.Info{Columns: stream.NumberedColumns(c.columns)}
		b := &stream.Batch{X: stream.NewMatrix(c.rows, c.columns)}
		for i := range b.X.Data {
			b.X.Data[i] = float64(i)
		}
		f, file := written(t, NewSizedEncoder("", c.memory), info, b, 4096)
		if diff := cmp.Diff(c.want, rowsOf(f)); diff != "" {
			t.Errorf("%d × %d in %d bytes: %s", c.rows, c.columns, c.memory, diff)
		}
		if c.rows < 100_000 {
			if _, odd := written(t, NewSizedEncoder("", c.memory), info, b, 1500); !bytes.Equal(file, odd) {
				t.Errorf("%d × %d: batches of 1,500 rows make another file", c.rows, c.columns)
			}
			readBack(t, file, b)
		}
	}
	text := &stream.Batch{X: stream.NewMatrix(20_000, 1), Kept: []stream.Column{{Kind: stream.String}}}
	for i := range 20_000 {
		text.Kept[0].Strings = append(text.Kept[0].Strings, fmt.Sprint(i)+strings.Repeat("ä", 100))
	}
	info := stream.Info{Columns: []string{"x"}, Kept: []stream.Field{{Name: "s", Kind: stream.String}}}
	f, file := written(t, NewSizedEncoder("", 32<<20), info, text, 3000)
	if diff := cmp.Diff([]int64{6144, 6144, 5120, 2592}, rowsOf(f)); diff != "" {
		t.Errorf("text of 1 MiB makes a row group: %s", diff)
	}
	readBack(t, file, text)
}

// mixed returns rows with every kind of written column: numbers, kept floats, unique and repeated integers and texts.
func mixed(n int) (stream.Info, *stream.Batch) {
	info := stream.Info{Columns: []string{"x", "nan"}, Kept: []stream.Field{{Name: "float", Kind: stream.Float64}, {Name: "id", Kind: stream.Int64},
		{Name: "code", Kind: stream.Int64}, {Name: "name", Kind: stream.String}, {Name: "town", Kind: stream.String}, {Name: "later", Kind: stream.String}, {Name: "null", Kind: stream.String}}}
	b := &stream.Batch{X: stream.NewMatrix(n, 2), Kept: info.NewKept()}
	for i := range n {
		b.X.Data[2*i], b.X.Data[2*i+1] = math.Sin(float64(i))*1e300, math.NaN()
		switch i % 1000 {
		case 7:
			b.X.Data[2*i] = math.NaN()
		case 8:
			b.X.Data[2*i] = math.Inf(1)
		}
		later := fmt.Sprint("word", i%3)
		if i > 2000 { // a dictionary that outgrows its size
			later = fmt.Sprint("other", i) + strings.Repeat("-", 200)
		}
		for k := range b.Kept {
			c := &b.Kept[k]
			if k == 6 || i%100 == 10*k {
				column.AppendNull(c)
				continue
			}
			switch c.Kind {
			case stream.Float64:
				c.Floats = append(c.Floats, float64(i%7)/4)
			case stream.Int64:
				c.Ints = append(c.Ints, []int64{int64(i)*7919 - 1000, int64(i%50) << 40}[k-1])
			case stream.String:
				c.Strings = append(c.Strings, []string{fmt.Sprint("name ", i), fmt.Sprintf("town %d", i%200), later}[k-3])
			}
			column.AppendValid(c)
		}
	}
	return info, b
}

// Files have what other readers use: statistics of row groups and pages, dictionaries for repeated values, and snappy
// except for floats. parquet-go and our reader read the same values.
func TestFilesAsOthersWriteThem(t *testing.T) {
	const n = 30_000
	info, b := mixed(n)
	for _, memory := range []int64{0, 32 << 20} {
		f, file := written(t, NewSizedEncoder("", memory), info, b, 4096)
		if many := memory > 0; many != (len(rowsOf(f)) > 1) {
			t.Errorf("row groups of %v rows", rowsOf(f))
		}
		readBack(t, file, b)
		first := 0
		for g, group := range f.Metadata().RowGroups {
			for k, c := range group.Columns {
				values := valuesOf(b, k, first, int(group.NumRows))
				checkFooter(t, &c.MetaData, f.RowGroups()[g].ColumnChunks()[k], values)
			}
			first += int(group.NumRows)
		}
	}
	f, file := written(t, NewSizedEncoder("zstd", 0), info, b, 4096)
	for _, c := range f.Metadata().RowGroups[0].Columns {
		if c.MetaData.Codec != format.Zstd {
			t.Errorf("%v is compressed by %v", c.MetaData.PathInSchema, c.MetaData.Codec)
		}
	}
	readBack(t, file, b)
}

// valuesOf returns n values of column k in parquet-go's form.
func valuesOf(b *stream.Batch, k, first, n int) (values []parquet.Value) {
	for i := first; i < first+n; i++ {
		if k < b.X.Cols {
			values = append(values, parquet.DoubleValue(b.X.Data[i*b.X.Cols+k]))
			continue
		}
		switch c := &b.Kept[k-b.X.Cols]; {
		case c.Null(i):
			values = append(values, parquet.NullValue())
		case c.Kind == stream.Float64:
			values = append(values, parquet.DoubleValue(c.Floats[i]))
		case c.Kind == stream.Int64:
			values = append(values, parquet.Int64Value(c.Ints[i]))
		default:
			values = append(values, parquet.ByteArrayValue([]byte(c.Strings[i])))
		}
	}
	return values
}

// bounds returns the smallest and the largest value that is neither null nor NaN, and the number of nulls.
func bounds(values []parquet.Value, compare func(a, b parquet.Value) int) (least, most parquet.Value, nulls int64) {
	for _, v := range values {
		switch {
		case v.IsNull():
			nulls++
		case v.Kind() == parquet.Double && math.IsNaN(v.Double()):
		default:
			if least.IsNull() || compare(v, least) < 0 {
				least = v
			}
			if most.IsNull() || compare(v, most) > 0 {
				most = v
			}
		}
	}
	return least, most, nulls
}

// checkFooter compares the footer and the page index of a column chunk with its values.
func checkFooter(t *testing.T, about *format.ColumnMetaData, chunk parquet.ColumnChunk, values []parquet.Value) {
	t.Helper()
	name, kind := about.PathInSchema[0], chunk.Type().Kind()
	least, most, nulls := bounds(values, chunk.Type().Compare)
	if about.Statistics.NullCount != nulls {
		t.Errorf("%s: %d nulls, not %d", name, about.Statistics.NullCount, nulls)
	}
	if !least.IsNull() && (!bytes.Equal(about.Statistics.MinValue, least.Bytes()) || !bytes.Equal(about.Statistics.MaxValue, most.Bytes())) {
		t.Errorf("%s: %q to %q, not %v to %v", name, about.Statistics.MinValue, about.Statistics.MaxValue, least, most)
	}
	codec := format.Snappy
	if kind == parquet.Double {
		codec = format.Uncompressed
	}
	if about.Codec != codec {
		t.Errorf("%s is compressed by %v", name, about.Codec)
	}
	dictionary := slices.Contains(about.Encoding, format.RLEDictionary)
	if want := name == "code" || name == "town" || name == "null" || name == "later"; dictionary != want {
		t.Errorf("%s: a dictionary is %v", name, dictionary)
	}
	if name == "town" && about.TotalCompressedSize > int64(2*len(values)) {
		t.Errorf("%s takes %d bytes", name, about.TotalCompressedSize)
	}
	if name == "later" && about.NumValues > 20_000 && !slices.ContainsFunc(about.EncodingStats, func(s format.PageEncodingStats) bool {
		return s.PageType == format.DataPageV2 && s.Encoding == format.Plain
	}) {
		t.Errorf("%s: no page is plain: %v", name, about.EncodingStats)
	}
	checkPages(t, name, chunk, values)
}

// checkPages compares the page index with the values.
func checkPages(t *testing.T, name string, chunk parquet.ColumnChunk, values []parquet.Value) {
	t.Helper()
	index, err := chunk.ColumnIndex()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := chunk.OffsetIndex()
	if err != nil {
		t.Fatal(err)
	}
	for p := range pages.NumPages() {
		end := int64(len(values))
		if p+1 < pages.NumPages() {
			end = pages.FirstRowIndex(p + 1)
		}
		least, most, nulls := bounds(values[pages.FirstRowIndex(p):end], chunk.Type().Compare)
		if index.NullCount(p) != nulls {
			t.Errorf("%s, page %d: %d nulls, not %d", name, p, index.NullCount(p), nulls)
		}
		if least.IsNull() {
			continue
		}
		// Long texts are cut: the bounds need only hold.
		if compare := chunk.Type().Compare; compare(index.MinValue(p), least) > 0 || compare(index.MaxValue(p), most) < 0 {
			t.Errorf("%s, page %d: %v to %v, not %v to %v", name, p, index.MinValue(p), index.MaxValue(p), least, most)
		}
	}
}

// The memory of a writer grows with the number of row groups by FooterBytes.
func TestFooterBytesAreCounted(t *testing.T) {
	const columns, memory = 1000, 64 << 20
	e, err := newEncoder(io.Discard, stream.Info{Columns: stream.NumberedColumns(columns)}, nil, memory)
	if err != nil {
		t.Fatal(err)
	}
	rows := e.(*encoder).group.rows
	b := &stream.Batch{X: matrix.New(rows, columns)}
	held := func(groups int) int64 {
		for range groups {
			if err := e.Encode(b, rows); err != nil {
				t.Fatal(err)
			}
		}
		var m runtime.MemStats
		for range 2 { // memory kept in pools is freed by the second collection
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(e)
		return int64(m.HeapAlloc)
	}
	held(2)
	before := held(countedGroups - 2)
	grown := held(8) - before
	counted := FooterBytes(memory, int64((countedGroups+8)*rows), columns)
	if grown > counted*21/20 || grown < counted/2 {
		t.Errorf("8 row groups of %d columns hold %d bytes, %d are counted", columns, grown, counted)
	}
	if got := FooterBytes(memory, int64(countedGroups*rows), columns); got != 0 {
		t.Errorf("%d bytes are counted of %d row groups", got, countedGroups)
	}
}
