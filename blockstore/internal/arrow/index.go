package arrow

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// arrowMagic begins and ends the file format. In between are an ordinary stream and a footer, which
// lists the positions of the batches.
const arrowMagic = "ARROW1"

// entry is the position of a message in a file.
type entry struct {
	kind     byte
	at       int64 // offset of its beginning
	body     int64 // offset of its body
	bodySize int64
	first    int64 // absolute row of the first row of a batch
	rows     int64
}

// index holds the headers of all messages of a file.
type index struct {
	schema  *schema
	entries []entry
	rows    int64
	isFile  bool

	begin    int64  // in a pipe: the offset after the schema
	unmarked bool   // a stream has no end mark
	nulls    []bool // for each field, whether a batch has nulls
}

// withInexact returns the index with a policy for integers that float64 cannot represent.
func (x *index) withInexact(inexact column.Inexact) *index {
	out := *x
	out.schema = x.schema.withInexact(inexact)
	return &out
}

// newIndex reads the header of every message in a file of the given size. A file must agree with
// its footer, so that no part is missing; for a stream that is certain only if it ends with its end
// mark.
func newIndex(file io.ReaderAt, size int64) (*index, error) {
	var head [8]byte
	switch _, err := file.ReadAt(head[:], 0); {
	case err == io.EOF:
		return nil, fmt.Errorf("%d bytes are too few for an Arrow file", size)
	case err != nil:
		return nil, err
	}
	x := &index{isFile: string(head[:6]) == arrowMagic}
	start, limit := int64(0), size
	var footer flatTable
	var err error
	if x.isFile {
		start = 8
		if footer, limit, err = readFooter(file, size); err == nil {
			err = x.schemaOfFooter(footer)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := x.scan(file, start, limit); err != nil {
		return nil, err
	}
	if !x.isFile {
		return x, nil
	}
	// Dictionaries may be anywhere in a file, but batches need all of them.
	slices.SortStableFunc(x.entries, func(a, b entry) int { return cmp.Compare(a.kind, b.kind) })
	return x, x.compare(footer)
}

// readFooter reads the footer of a file and returns its offset.
func readFooter(file io.ReaderAt, size int64) (flatTable, int64, error) {
	const tail = 4 + len(arrowMagic)
	var end [tail]byte
	if size < 8+int64(tail) {
		return flatTable{}, 0, fmt.Errorf("%d bytes are too few for an Arrow file", size)
	}
	if _, err := file.ReadAt(end[:], size-int64(tail)); err != nil {
		return flatTable{}, 0, err
	}
	if string(end[4:]) != arrowMagic {
		return flatTable{}, 0, fault.New("it does not end with %s; the file was cut or is still being written", arrowMagic).
			WithKind(stream.Damaged).WithRemedy("wait, or make or fetch it again")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-8-int64(tail) || length > maxArrowMeta {
		return flatTable{}, 0, fmt.Errorf("a footer of %d bytes cannot be in a file of %d", length, size)
	}
	start := size - int64(tail) - length
	raw := make([]byte, length)
	if _, err := file.ReadAt(raw, start); err != nil {
		return flatTable{}, 0, err
	}
	return flatRoot(raw), start, nil
}

// schemaOfFooter takes the schema from the footer, for files of JavaScript's writer, which have
// none before their batches.
func (x *index) schemaOfFooter(footer flatTable) error {
	table, ok := footer.table(1)
	if !ok {
		return fmt.Errorf("the footer has no schema")
	}
	m := schemaAsMessage(table, footer.int16(0))
	var err error
	x.schema, err = readSchema(&m)
	return err
}

// schemaAsMessage returns a message with the given schema as its content: a table of version, kind
// and content, with its vtable, in front of the bytes that hold the schema.
func schemaAsMessage(schema flatTable, version int) message {
	const head, vtable, table, content = 32, 4, 16, 20
	b := make([]byte, head, head+len(schema.b))
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	put32(b, table)
	for i, v := range []uint16{10, 12, 24 - table, 26 - table, content - table} { // sizes, then fields 0, 1 and 2
		put16(b[vtable+2*i:], v)
	}
	put32(b[table:], table-vtable)
	put32(b[content:], uint32(head+schema.pos-content))
	put16(b[24:], uint16(version))
	b[26] = schemaMessage
	return message{kind: schemaMessage, meta: append(b, schema.b...)}
}

// scan reads the message headers between start and limit.
func (x *index) scan(file io.ReaderAt, start, limit int64) error {
	for at := start; ; {
		if x.isFile && at == limit {
			return x.complete() // a file needs no end mark
		}
		m, n, err := readMeta(io.NewSectionReader(file, at, limit-at), limit-at)
		if err == errUnmarked && x.schema != nil {
			x.unmarked = true
			return nil
		}
		if err == io.EOF {
			return x.checkEnd(at+n, limit)
		}
		if err != nil {
			return fault.New("the message at byte %d: %w", at, err)
		}
		if err := x.add(&m, entry{kind: m.kind, at: at, body: at + n, bodySize: m.bodySize}); err != nil {
			return fault.New("the message at byte %d: %w", at, err)
		}
		at += n + m.bodySize
	}
}

// checkEnd checks that the end mark, which ends at at, is the end of the stream.
func (x *index) checkEnd(at, limit int64) error {
	if rest := limit - at; rest > 8 || rest > 0 && !x.isFile {
		return fmt.Errorf("%d bytes follow the end mark of the stream at byte %d", rest, at)
	}
	return x.complete()
}

func (x *index) complete() error {
	if x.schema == nil {
		return fmt.Errorf("there is no schema")
	}
	return nil
}

// add adds a message to the index.
func (x *index) add(m *message, e entry) error {
	if x.schema == nil || x.isFile && len(x.entries) == 0 && m.kind == schemaMessage {
		var err error
		x.schema, err = readSchema(m)
		return err
	}
	switch m.kind {
	case dictionaryMessage:
	case batchMessage:
		rows, err := x.schema.check(m)
		if err != nil {
			return err
		}
		if err := x.observeNulls(m); err != nil {
			return err
		}
		e.first, e.rows = x.rows, rows
		if x.rows += rows; x.rows < 0 {
			return fmt.Errorf("the batches claim more rows than can be counted")
		}
	default:
		return errMisplaced(m.kind)
	}
	x.entries = append(x.entries, e)
	return nil
}

// check compares a batch with the schema and returns its number of rows.
func (s *schema) check(m *message) (int64, error) {
	batch, err := m.batchOf()
	if err != nil {
		return 0, err
	}
	nodes, buffers, counts := batch.vector(1, 16), batch.vector(2, 16), batch.vector(4, 8)
	expected := int64(s.buffers)
	for k := range counts.n {
		count := counts.int64(k, 0)
		if count < 0 || count > int64(buffers.n) {
			return 0, fmt.Errorf("a batch claims %d buffers of one column", count)
		}
		expected += count
	}
	if nodes.n != s.nodes || int64(buffers.n) != expected || counts.n < s.views {
		return 0, fmt.Errorf("a batch has %d arrays in %d buffers, the schema says %d in %d", nodes.n, buffers.n, s.nodes, expected)
	}
	rows := batch.int64(0)
	for i := range s.fields {
		f := &s.fields[i]
		length := nodes.int64(f.node, 0)
		for k := range f.parents {
			if n := nodes.int64(f.parents[k].node, 0); n != rows {
				length = n
			}
		}
		if rows < 0 || length != rows {
			return 0, fmt.Errorf("a batch of %d rows has %d values of column %q", rows, length, f.name)
		}
	}
	return rows, nil
}

// observeNulls records the fields in which a batch has nulls.
func (x *index) observeNulls(m *message) error {
	batch, err := m.batchOf()
	if err != nil {
		return err
	}
	nodes := batch.vector(1, 16)
	if x.nulls == nil {
		x.nulls = make([]bool, len(x.schema.fields))
	}
	for i := range x.schema.fields {
		f := &x.schema.fields[i]
		x.nulls[i] = x.nulls[i] || f.layout == dictLayout || nodes.int64(f.node, 8) != 0 // a dictionary may contain nulls
		for k := range f.parents {
			x.nulls[i] = x.nulls[i] || nodes.int64(f.parents[k].node, 8) != 0
		}
	}
	return nil
}

// compare checks that the footer lists exactly the batches and dictionaries found.
func (x *index) compare(footer flatTable) error {
	for _, kind := range []byte{dictionaryMessage, batchMessage} {
		blocks := footer.vector(int(kind), 24) // the fields of the footer are in the same order
		k := 0
		for _, e := range x.entries {
			if e.kind != kind {
				continue
			}
			if k == blocks.n || blocks.int64(k, 0) != e.at || blocks.int64(k, 16) != e.bodySize {
				return fmt.Errorf("the footer does not list the message at byte %d, a %s", e.at, kindName(kind))
			}
			k++
		}
		if k != blocks.n {
			return fmt.Errorf("the footer lists another number (%d) of messages, each a %s, than the file holds (%d)", blocks.n, kindName(kind), k)
		}
	}
	return nil
}

// message rereads the metadata of an entry.
func (e *entry) message(file io.ReaderAt) (*message, error) {
	r := io.NewSectionReader(file, e.at, e.body-e.at)
	m, n, err := readMeta(r, e.body-e.at+e.bodySize)
	if err != nil || n != e.body-e.at || m.kind != e.kind || m.bodySize != e.bodySize {
		return nil, fmt.Errorf("the message at byte %d is not what it was: the file was changed", e.at)
	}
	m.body = io.NewSectionReader(file, e.body, e.bodySize)
	return &m, nil
}
