package arrow

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/endian"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// streamOf returns a stream with one record, written by Arrow's own library.
func streamOf(t *testing.T, schema *arrow.Schema, fill func(b *array.RecordBuilder)) []byte {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	fill(b)
	record := b.NewRecord()
	defer record.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(record); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// changeMessages returns the stream after change has modified each of its messages in place: metadata and body.
func changeMessages(t *testing.T, b []byte, change func(m *message, body []byte)) []byte {
	t.Helper()
	for at := int64(0); ; {
		m, n, err := readMeta(bytes.NewReader(b[at:]), int64(len(b))-at)
		if err == io.EOF {
			return b
		}
		if err != nil {
			t.Fatal(err)
		}
		start := at + n
		m.meta = b[start-int64(len(m.meta)) : start]
		change(&m, b[start:start+m.bodySize])
		at = start + m.bodySize
	}
}

// readStream returns the numbers and the texts of a stream.
func readStream(t *testing.T, b []byte) (rows [][]float64, texts []string) {
	t.Helper()
	tb, err := filetest.Opened(filetest.TempFile(t, "a.arrows", string(b)), Open)
	if err != nil {
		t.Fatal(err)
	}
	src, err := arrowSourceOf(tb)
	if err != nil {
		t.Fatal(err)
	}
	rows, kept, err := filetest.Slurp(src, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range kept {
		texts = append(texts, kept[i].Strings...)
	}
	return rows, texts
}

// A stream written by a big-endian machine is refused.
func TestBigEndian(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := streamOf(t, schema.WithEndianness(endian.NonNativeEndian), func(b *array.RecordBuilder) {
		b.Field(0).(*array.Int32Builder).AppendValues([]int32{1, -2}, nil)
	})
	_, err := Open(t.Context(), nil, filetest.TempFile(t, "a.arrows", string(b)))
	filetest.WantError(t, err, "a.arrows", "most significant bytes first")
}

// The last text column of a batch may have no bytes in the body, if its values are null or empty.
func TestEmptyTextAtTheEnd(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	for _, valid := range [][]bool{nil, {false, false, false}} {
		b := streamOf(t, schema, func(b *array.RecordBuilder) {
			b.Field(0).(*array.Float64Builder).AppendValues([]float64{1, 2, 3}, nil)
			b.Field(1).(*array.StringBuilder).AppendValues([]string{"", "", ""}, valid)
		})
		rows, texts := readStream(t, b)
		if len(rows) != 3 || rows[2][0] != 3 || !slices.Equal(texts, []string{"", "", ""}) {
			t.Errorf("valid %v: %v, %q", valid, rows, texts)
		}
	}
}

// A string view that points outside its buffers is an error, unless it is null.
func TestBrokenViews(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.StringView, Nullable: true}}, nil)
	for name, change := range map[string]func(view []byte){
		"length": func(v []byte) { v[3] = 0xff },
		"buffer": func(v []byte) { v[8] = 1 },
		"place":  func(v []byte) { v[12] = 100 },
		"end":    func(v []byte) { v[0] = 200 },
	} {
		for _, null := range []bool{false, true} {
			b := streamOf(t, schema, func(b *array.RecordBuilder) {
				b.Field(0).(*array.StringViewBuilder).AppendValues([]string{"a text of many bytes", "short", "another text of many bytes"}, []bool{!null, true, true})
			})
			b = changeMessages(t, b, func(m *message, body []byte) {
				if at := bytes.Index(body, []byte("\x05\x00\x00\x00short")); at > 0 {
					copy(body[at-viewBytes:], "\x14\x00\x00\x00a te\x00\x00\x00\x00\x00\x00\x00\x00") // the library leaves out what is null
					change(body[at-viewBytes : at])
				}
			})
			tb, err := Open(t.Context(), nil, filetest.TempFile(t, "a.arrows", string(b)))
			if err != nil {
				t.Fatal(err)
			}
			src, err := arrowSourceOf(tb)
			if err != nil {
				t.Fatal(err)
			}
			_, kept, err := filetest.Slurp(src, 2)
			if null && (err != nil || kept[0].Strings[2] != "another text of many bytes") {
				t.Errorf("%s: %v, %v", name, err, kept)
			}
			if !null {
				filetest.WantError(t, err, `"s"`, "row 0", "make or fetch the file again")
			}
		}
	}
}
