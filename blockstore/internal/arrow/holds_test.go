package arrow

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// growingBatches writes batches with an increasing number of rows, except the last: a number, a pair, a text of 100
// bytes and a dictionary.
func growingBatches(t *testing.T, path string, asFile bool, options ...ipc.Option) (rows int) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Float64},
		{Name: "pair", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32)},
		{Name: "text", Type: arrow.BinaryTypes.String},
		{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var records []arrow.Record
	for _, n := range []int{1000, 20_000, 30_000, 500} {
		for i := range n {
			b.Field(0).(*array.Float64Builder).Append(float64(i % 100))
			list := b.Field(1).(*array.ListBuilder)
			list.Append(true)
			list.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{1, float32(i % 50)}, nil)
			b.Field(2).(*array.StringBuilder).Append(strings.Repeat(fmt.Sprint(i%10), 100))
			if err := b.Field(3).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint("word ", i%40)); err != nil {
				t.Fatal(err)
			}
		}
		records = append(records, b.NewRecord())
		rows += n
	}
	writeArrow(t, path, schema, records, asFile, options...)
	return rows
}

// The announced memory of a reader equals that of the chosen columns of the largest batch, and a pass allocates little
// more, since batches share their memory.
func TestArrowReaderBytes(t *testing.T) {
	const most = 30_000
	for name, option := range map[string]ipc.Option{"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		for _, asFile := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "a.arrow")
			rows := growingBatches(t, path, asFile, option)
			tb, err := Open(context.Background(), nil, path)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				numeric, kept []int
				least         int64
			}{
				{[]int{0}, nil, 8 * most},
				{[]int{0, 1}, nil, (8 + 4 + 8) * most},
				{[]int{0}, []int{2}, (8 + 4 + 100) * most},
				{[]int{0}, []int{3}, (8 + 2) * most},
			} {
				src, err := column.Choose(tb, c.numeric, c.kept)
				if err != nil {
					t.Fatal(err)
				}
				info := src.Info()
				if slack := info.ReaderBytes - decoderBytes - c.least; slack < 0 || slack > c.least/2+64<<10 || info.SeekCost != most {
					t.Errorf("%s, file %v, columns %v, %v: holds %d for %d bytes, leads %d", name, asFile, c.numeric, c.kept, info.ReaderBytes, c.least, info.SeekCost)
				}
				if c.kept != nil {
					continue // strings are always allocated
				}
				if used, n := allocated(t, src); n != rows || used > info.ReaderBytes+1<<20 {
					t.Errorf("%s, file %v, columns %v: %d rows, %d bytes were allocated, %d promised", name, asFile, c.numeric, n, used, info.ReaderBytes)
				}
			}
		}
	}
}

// allocated reads a source, and returns the bytes allocated and the number of rows.
func allocated(t *testing.T, src stream.Source) (bytes int64, rows int) {
	t.Helper()
	b := filetest.NewBatch(src, 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := src.Open(context.Background(), 0)
	for err == nil {
		var n int
		n, err = r.Read(b)
		rows += n
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	r.Close()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), rows
}

// Uncompressed batches need memory for headers, and a little for each column.
func TestArrowReaderBytesUncompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	growingBatches(t, path, false)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, []int{0, 1}, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	if info := src.Info(); info.ReaderBytes > 48<<10 || info.SeekCost != 1 {
		t.Errorf("holds %d, leads %d", info.ReaderBytes, info.SeekCost)
	}
}
