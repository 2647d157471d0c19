package blockstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// arrowBytes returns an Arrow file or stream with the same record several times.
func arrowBytes(t *testing.T, asFile bool, schema *arrow.Schema, rows string, times int, options ...ipc.Option) []byte {
	t.Helper()
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	options = append(options, ipc.WithSchema(schema))
	type writer interface {
		Write(arrow.Record) error
		Close() error
	}
	var w writer = ipc.NewWriter(out, options...)
	if asFile {
		if w, err = ipc.NewFileWriter(out, options...); err != nil {
			t.Fatal(err)
		}
	}
	for range times {
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return contentOf(t, path)
}

// flat is a table of a FlatBuffer, the encoding of Arrow's metadata.
type flat struct {
	b  []byte
	at int
}

// flatRoot returns the root table of a FlatBuffer.
func flatRoot(b []byte) flat { return flat{b, int(binary.LittleEndian.Uint32(b))} }

// fields returns the offset of the table's vtable, which locates its fields.
func (f flat) fields() int { return f.at - int(int32(binary.LittleEndian.Uint32(f.b[f.at:]))) }

// slot returns the bytes from field i on.
func (f flat) slot(i int) []byte {
	return f.b[f.at+int(binary.LittleEndian.Uint16(f.b[f.fields()+4+2*i:])):]
}

// drop marks field i as absent.
func (f flat) drop(i int) { binary.LittleEndian.PutUint16(f.b[f.fields()+4+2*i:], 0) }

// table returns the table in field i.
func (f flat) table(i int) flat {
	b := f.slot(i)
	return flat{f.b, len(f.b) - len(b) + int(binary.LittleEndian.Uint32(b))}
}

// vector returns the vector in field i: its length and its elements.
func (f flat) vector(i int) (length, elements []byte) {
	b := f.slot(i)
	b = b[binary.LittleEndian.Uint32(b):]
	return b, b[4:]
}

// arrowMessage is a message of a stream. Its slices share memory with the stream, so that changes are in place.
type arrowMessage struct {
	whole, body []byte
	meta        flat
}

// batch returns the record batch of the message.
func (m *arrowMessage) batch() flat {
	if m.meta.slot(1)[0] == 2 { // of a dictionary
		return m.meta.table(2).table(1)
	}
	return m.meta.table(2)
}

// buffer returns the bytes of a buffer of the message.
func (m *arrowMessage) buffer(i int) []byte {
	_, list := m.batch().vector(2)
	return m.body[binary.LittleEndian.Uint64(list[16*i:]):][:binary.LittleEndian.Uint64(list[16*i+8:])]
}

// arrowMessages returns the messages of a stream.
func arrowMessages(b []byte) (list []arrowMessage) {
	for len(b) >= 8 && binary.LittleEndian.Uint32(b[4:]) > 0 {
		n := 8 + binary.LittleEndian.Uint32(b[4:])
		m := arrowMessage{meta: flatRoot(b[8:n])}
		size := uint64(0)
		if binary.LittleEndian.Uint16(m.meta.b[m.meta.fields():]) > 4+2*3 {
			size = binary.LittleEndian.Uint64(m.meta.slot(3))
		}
		m.whole, m.body = b[:uint64(n)+size], b[n:][:size]
		list, b = append(list, m), b[uint64(n)+size:]
	}
	return list
}

// withoutMessage returns a stream without its k-th message.
func withoutMessage(b []byte, k int) string {
	m := arrowMessages(b)[k]
	return strings.Replace(string(b), string(m.whole), "", 1)
}

// put64 and put32 write integers in little-endian order.
func put64(b []byte, v int64) { binary.LittleEndian.PutUint64(b, uint64(v)) }
func put32(b []byte, v int32) { binary.LittleEndian.PutUint32(b, uint32(v)) }

// Rows of the columns of damaged Arrow files.
const (
	arrowNumbers = `[{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}]`
	arrowLists   = `[{"x": 1, "y": [1, 2]}, {"x": 2, "y": [3, 4]}, {"x": 3, "y": [5, 6]}]`
	arrowTexts   = `[{"x": 1, "y": "a"}, {"x": 3, "y": "b"}, {"x": 5, "y": "a"}]`
)

// arrowXY returns a schema with a column x of float64 and a column y of the given type.
func arrowXY(y arrow.DataType) *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "y", Type: y}}, nil)
}

// badArrow returns Arrow files, streams, pipes and records that are damaged in one of their structures.
func badArrow(t *testing.T) []badFile {
	stream := func(y arrow.DataType, rows string, options ...ipc.Option) []byte {
		return arrowBytes(t, false, arrowXY(y), rows, 2, options...)
	}
	var list []badFile
	// add adds a stream whose messages change spoils.
	add := func(what string, b []byte, change func(m []arrowMessage), o Options) {
		change(arrowMessages(b))
		list = append(list, badFile{name: "a.arrows", what: what, content: string(b), Options: o})
	}
	number, words := arrow.PrimitiveTypes.Float64, Options{Keep: []string{"y"}}
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	numbers := func(what string, change func(m []arrowMessage)) {
		add(what, stream(number, arrowNumbers), change, Options{})
	}
	texts := func(what string, change func(m []arrowMessage)) {
		add(what, stream(arrow.BinaryTypes.String, arrowTexts), change, words)
	}
	coded := func(what string, change func(m []arrowMessage)) {
		add(what, stream(dictionary, arrowTexts), change, words)
	}
	packed := func(what string, change func(m []arrowMessage)) {
		rows := "[" + strings.Repeat(`{"x": 1, "y": 1},`, 999) + `{"x": 1, "y": 1}]`
		add(what, stream(number, rows, ipc.WithZstd()), change, Options{})
	}
	numbers("a schema of another kind", func(m []arrowMessage) { m[0].meta.slot(1)[0] = 3 })
	numbers("a schema of nothing", func(m []arrowMessage) { m[0].meta.drop(2) })
	numbers("a column of an unknown type", func(m []arrowMessage) {
		_, fields := m[0].meta.table(2).vector(1)
		field := flat{m[0].meta.b, len(m[0].meta.b) - len(fields) + int(binary.LittleEndian.Uint32(fields))}
		field.slot(2)[0] = 77
	})
	numbers("an old version", func(m []arrowMessage) { m[1].meta.slot(0)[0] = 1 })
	numbers("a message with two beginnings", func(m []arrowMessage) { put32(m[1].whole[4:], -1) })
	numbers("a message whose metadata is longer than the file", func(m []arrowMessage) { put32(m[1].whole[4:], 1<<20) })
	numbers("a message whose body is longer than the file", func(m []arrowMessage) { put64(m[2].meta.slot(3), 1<<20) })
	numbers("a message of nothing", func(m []arrowMessage) { m[1].meta.drop(2) })
	numbers("a message of another kind", func(m []arrowMessage) { m[1].meta.slot(1)[0] = 5 })
	numbers("an end mark before the end", func(m []arrowMessage) { put32(m[2].whole[4:], 0) })
	numbers("more arrays than in the schema", func(m []arrowMessage) { length, _ := m[1].batch().vector(1); put32(length, 1) })
	numbers("a batch of fewer rows than values", func(m []arrowMessage) { put64(m[1].batch().slot(0), 2) })
	numbers("more rows than can be counted", func(m []arrowMessage) {
		for k := 1; k < 3; k++ {
			put64(m[k].batch().slot(0), 1<<62)
			_, nodes := m[k].batch().vector(1)
			put64(nodes, 1<<62)
			put64(nodes[16:], 1<<62)
		}
	})
	numbers("more nulls than values", func(m []arrowMessage) { _, nodes := m[1].batch().vector(1); put64(nodes[8:], 4) })
	numbers("nulls without their places", func(m []arrowMessage) { _, nodes := m[1].batch().vector(1); put64(nodes[8:], 2) })
	numbers("a buffer beyond its message", func(m []arrowMessage) { _, buffers := m[1].batch().vector(2); put64(buffers[16:], 1<<40) })
	numbers("a buffer shorter than its array", func(m []arrowMessage) { _, buffers := m[1].batch().vector(2); put64(buffers[24:], 8) })
	texts("offsets that descend", func(m []arrowMessage) { put32(m[1].buffer(3)[4:], 7) })
	texts("a text of too many bytes", func(m []arrowMessage) { put32(m[1].buffer(3)[12:], 1<<30) })
	texts("a text longer than its buffer", func(m []arrowMessage) { put32(m[1].buffer(3)[12:], 1<<20) })
	texts("a text that is no UTF-8", func(m []arrowMessage) { m[1].buffer(4)[1] = 0xff })
	coded("a dictionary of nothing", func(m []arrowMessage) { m[1].meta.drop(2) })
	coded("a dictionary without arrays", func(m []arrowMessage) { length, _ := m[1].batch().vector(1); put32(length, 0) })
	coded("a dictionary without buffers", func(m []arrowMessage) { length, _ := m[1].batch().vector(2); put32(length, 0) })
	coded("a dictionary of too many values", func(m []arrowMessage) { _, nodes := m[1].batch().vector(1); put64(nodes, 1<<40) })
	coded("an index beyond its dictionary", func(m []arrowMessage) { put32(m[2].buffer(3), 7) })
	add("lists of more numbers than there are", stream(arrow.ListOf(number), arrowLists), func(m []arrowMessage) {
		_, nodes := m[1].batch().vector(1)
		put64(nodes[32:], 5)
	}, Options{Columns: []string{"y"}})
	add("lists of different lengths", stream(arrow.ListOf(number), arrowLists), func(m []arrowMessage) { put32(m[2].buffer(3)[4:], 1) }, Options{})
	add("lists of too many numbers", stream(arrow.FixedSizeListOf(70000, number), "[]"), func([]arrowMessage) {}, Options{Columns: []string{"y"}})
	deep := arrow.DataType(number)
	for range 70 {
		deep = arrow.ListOf(deep)
	}
	coded("a dictionary that is damaged", func(m []arrowMessage) { put32(m[1].buffer(1)[4:], 1<<20) })
	add("lists deep in each other", arrowBytes(t, false, arrowXY(deep), "[]", 0), func([]arrowMessage) {}, Options{})
	packed("an unknown compression", func(m []arrowMessage) { m[1].batch().table(3).slot(0)[0] = 77 })
	packed("a buffer too small for what it claims", func(m []arrowMessage) { put64(m[1].buffer(1), 1<<60) })
	packed("a buffer too short for its size", func(m []arrowMessage) { _, buffers := m[1].batch().vector(2); put64(buffers[24:], 5) })
	packed("a buffer that is not compressed", func(m []arrowMessage) { clear(m[1].buffer(1)[8:]) })
	packed("a buffer of another size than it claims", func(m []arrowMessage) { put64(m[1].buffer(1), 8008) })
	list = append(list, badArrowFiles(t)...)
	list = append(list, largeBuffers(t)...)
	list = append(list, badArrowPipes(t)...)
	return append(list,
		badFile{name: "a.arrows", what: "too few bytes", content: "abc"},
		badFile{name: "a.arrows", what: "only an end mark", content: "\xff\xff\xff\xff\x00\x00\x00\x00"},
		badFile{name: "a.arrows", what: "ends in a message", content: "\xff\xff\xff\xff\xff\x00\x00\x00\x01"},
		badFile{name: "a.arrows", what: "a dictionary that is not there", content: withoutMessage(stream(dictionary, arrowTexts), 1), Options: words},
		badFile{name: "a.arrows", what: "points beyond itself", content: "\xff\xff\xff\xff\x08\x00\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00"},
		badFile{name: "a.arrows", what: "something behind the end mark", content: string(stream(number, arrowNumbers)) + "more than eight bytes"},
	)
}

// badArrowFiles returns files with a wrong footer, or with wrong blocks in it.
func badArrowFiles(t *testing.T) (list []badFile) {
	add := func(what string, change func(b []byte, footer flat)) {
		b := arrowBytes(t, true, arrowXY(arrow.PrimitiveTypes.Float64), arrowNumbers, 2)
		end := len(b) - 10
		start := end - int(binary.LittleEndian.Uint32(b[end:]))
		change(b[:start], flatRoot(b[start:end]))
		list = append(list, badFile{name: "a.arrow", what: what, content: string(b)})
	}
	add("a footer longer than the file", func(_ []byte, footer flat) { put32(footer.b[len(footer.b):len(footer.b)+4], 1<<20) })
	add("a footer without a schema", func(_ []byte, footer flat) { footer.drop(1) })
	add("a footer of another place", func(_ []byte, footer flat) { _, blocks := footer.vector(3); put64(blocks, 8) })
	add("a footer of other dictionaries", func(_ []byte, footer flat) {
		_, blocks := footer.vector(3)
		put32(footer.slot(2), int32(len(footer.slot(2))-len(blocks)-4))
	})
	add("a batch of more rows than arrays", func(b []byte, _ flat) { put64(arrowMessages(b[8:])[1].batch().slot(0), 4) })
	return append(list, badFile{name: "a.arrow", what: "too few bytes", content: "ARROW1\x00\x00\xff\xff"})
}

// largeBuffers returns streams with buffers above the memory limit, and one that is unpacked in pieces.
func largeBuffers(t *testing.T) (list []badFile) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	const size = 130 << 20
	frame := w.EncodeAll(make([]byte, size), nil)
	// add adds a batch of two columns whose values are in these frames, of so many bytes.
	add := func(what string, size int64, frames ...[]byte) {
		b := arrowBytes(t, false, arrowXY(arrow.PrimitiveTypes.Float64), arrowNumbers, 1, ipc.WithZstd())
		m := arrowMessages(b)
		_, buffers := m[1].batch().vector(2)
		var body []byte
		for k, frame := range frames {
			put64(buffers[32*k+16:], int64(len(body)))
			put64(buffers[32*k+24:], int64(8+len(frame)))
			body = append(binary.LittleEndian.AppendUint64(body, uint64(size)), frame...)
			body = append(body, make([]byte, 7-(len(body)+7)%8)...)
		}
		put64(m[1].meta.slot(3), int64(len(body)))
		head := m[1].whole[:len(m[1].whole)-len(m[1].body)]
		list = append(list, badFile{name: "a.arrows", what: what, content: string(m[0].whole) + string(head) + string(body)})
	}
	add("columns whose buffers are too large together", size, frame, frame)
	junk := bytes.Repeat([]byte("junk"), 5000)
	add("a buffer that is too large", 300<<20, junk, junk)
	large, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	large.Reset(&out)
	if _, err := large.Write(make([]byte, 8<<20)); err != nil {
		t.Fatal(err)
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	copy(out.Bytes()[6:], bytes.Repeat([]byte{0xff}, 40))
	add("a large buffer that is not compressed", 8<<20, out.Bytes(), out.Bytes())
	return list
}

// badArrowPipes returns streams from a pipe, and records in memory.
func badArrowPipes(t *testing.T) (list []badFile) {
	number := arrow.PrimitiveTypes.Float64
	healthy := func() []byte { return arrowBytes(t, false, arrowXY(number), arrowNumbers, 2) }
	// read reads all of a stream from the standard input.
	read := func(o Options, then func(src stream.Source) error) func(ctx context.Context, path string) error {
		return func(ctx context.Context, path string) error {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			o.Reader = f
			src, err := Open(ctx, []string{"-"}, o)
			if err == nil {
				err = then(src)
			}
			return err
		}
	}
	all := func(src stream.Source) error { _, err := filetest.ReadAll(src, 7); return err }
	add := func(what string, b []byte, ask func(context.Context, string) error) {
		list = append(list, badFile{name: "piped.arrows", called: "standard input", what: what, content: string(b), ask: ask})
	}
	b := healthy()
	arrowMessages(b)[2].meta.slot(1)[0] = 1
	add("a second schema", b, read(Options{}, all))
	add("something behind the end mark", append(healthy(), 1), read(Options{}, all))
	add("ends in a batch", healthy()[:len(healthy())-20], read(Options{}, all))
	add("ends in the schema", healthy()[:20], read(Options{}, all))
	return list
}
