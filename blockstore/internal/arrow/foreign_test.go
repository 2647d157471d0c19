package arrow

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/decimal128"
	"github.com/apache/arrow/go/v16/arrow/decimal256"
	"github.com/apache/arrow/go/v16/arrow/endian"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// stream returns what the library writes of one record.
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

// changeMessages hands every message of a stream to change, the metadata and the body in
// place, and returns the stream.
func changeMessages(t *testing.T, b []byte, change func(m *message, body []byte)) []byte {
	t.Helper()
	for at := int64(0); ; {
		m, n, err := readMeta(bytes.NewReader(b[at:]), -1)
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

// The library writes the schema of a machine with the other order of bytes.
func TestBigEndian(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := streamOf(t, schema.WithEndianness(endian.NonNativeEndian), func(b *array.RecordBuilder) {
		b.Field(0).(*array.Int32Builder).AppendValues([]int32{1, -2}, nil)
	})
	_, err := OpenStream(bytes.NewReader(b), "pipe", Limits{})
	filetest.WantError(t, err, "pipe", "most significant bytes first")
}

// Decimals of 32 and 64 bits came with version 1.5 of the format; the library does not know
// them. They are made of those of 256 bits, whose width is written.
func TestShortDecimals(t *testing.T) {
	values := []int64{0, 1, -250, 1 << 30}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: &arrow.Decimal256Type{Precision: 9, Scale: 2}}, {Name: "i", Type: arrow.PrimitiveTypes.Int8},
		{Name: "e", Type: &arrow.Decimal128Type{Precision: 9, Scale: 1}}}, nil)
	for _, width := range []int{32, 64} {
		b := streamOf(t, schema, func(b *array.RecordBuilder) {
			for i, v := range values {
				b.Field(0).(*array.Decimal256Builder).Append(decimal256.FromI64(v))
				b.Field(1).(*array.Int8Builder).Append(int8(i))
				b.Field(2).(*array.Decimal128Builder).Append(decimal128.FromI64(v))
			}
		})
		b = changeMessages(t, b, func(m *message, body []byte) {
			if m.kind == schemaMessage {
				table, _ := flatRoot(m.meta).table(2)
				kind, _ := table.vector(1, 4).table(0).table(3)
				binary.LittleEndian.PutUint32(m.meta[kind.at(2):], uint32(width))
				return
			}
			for i, v := range values {
				if width == 32 {
					binary.LittleEndian.PutUint32(body[4*i:], uint32(v))
				} else {
					binary.LittleEndian.PutUint64(body[8*i:], uint64(v))
				}
			}
		})
		rows, _ := readStream(t, b)
		for i, v := range values {
			if rows[i][0] != float64(v)/100 || rows[i][1] != float64(i) || rows[i][2] != float64(v)/10 {
				t.Errorf("%d bits: row %d is %v", width, i, rows[i])
			}
		}
	}
}

// A last column of texts that are null or empty throughout a batch takes no bytes of its body.
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

// A view that points outside its buffers is an error, unless it is null.
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
			tb, err := Open(t.Context(), filetest.TempFile(t, "a.arrows", string(b)))
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
