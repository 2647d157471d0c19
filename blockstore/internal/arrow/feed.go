package arrow

import (
	"errors"
	"fmt"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// feed gives batches in order.
type feed interface {
	// next returns the next batch, which is valid until the call after, or
	// io.EOF after the last one.
	next() (*batch, error)
	// want says which columns will be read, for the dictionaries.
	want(fields []field)
	close() error
}

// batch is a record batch in a message.
type batch struct {
	first, rows int64
	skip        int64 // rows at its beginning that are not wanted
	table       flatTable
	buffers     *ipcBuffers
	dicts       dictionaries
}

// open goes to a batch.
func (c *columnReader) open(b *batch) (err error) {
	c.firstRow = b.first
	if c.array, err = c.arrayIn(b.table, b.buffers, b.dicts); err != nil {
		return c.fault(err)
	}
	return nil
}

// newBatch returns the batch in message m.
func newBatch(m *message, first int64, dicts dictionaries, space *workspace) (*batch, error) {
	table, err := m.batchOf()
	if err != nil {
		return nil, err
	}
	buffers, err := newIPCBuffers(table, m, space)
	if err != nil {
		return nil, err
	}
	return &batch{first: first, rows: table.int64(0), table: table, buffers: buffers, dicts: dicts}, nil
}

// fileFeed reads the messages of a file by its index.
type fileFeed struct {
	path   string
	index  *index
	file   io.ReaderAt
	closer io.Closer // nil when somebody else closes the file
	at     int       // next entry
	first  int64     // the row that next begins with
	wanted []field
	dicts  dictionaries
	space  workspace
}

func (f *fileFeed) want(fields []field) { f.wanted = fields }

func (f *fileFeed) close() error {
	f.space.Close()
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

func (f *fileFeed) next() (*batch, error) {
	for f.at < len(f.index.entries) {
		e := &f.index.entries[f.at]
		f.at++
		if e.kind == batchMessage {
			if e.first+e.rows <= f.first && f.first > 0 {
				continue
			}
			b, err := f.batch(e)
			if err == nil {
				b.skip = max(0, f.first-b.first)
			}
			return b, err
		}
		if err := f.dictionary(e); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// batch reads the header of a batch.
func (f *fileFeed) batch(e *entry) (*batch, error) {
	m, err := e.message(f.file)
	var b *batch
	if err == nil {
		b, err = newBatch(m, e.first, f.dicts, &f.space)
	}
	if err == nil && b.rows != e.rows {
		err = fmt.Errorf("it has %d rows where it had %d: the file was changed", b.rows, e.rows)
	}
	if err != nil {
		return nil, fault.File(f.path, "the batch that begins with row %d: %w", e.first, fault.Damaged(err))
	}
	return b, nil
}

// dictionary reads a dictionary if it is wanted.
func (f *fileFeed) dictionary(e *entry) error {
	m, err := e.message(f.file)
	if err == nil {
		err = f.dicts.read(m, f.wanted, &f.space)
	}
	if err != nil {
		return fault.File(f.path, "the dictionary at byte %d: %w", e.at, fault.Damaged(err))
	}
	return nil
}

// seek goes to the batch that holds row, which is not before the one at hand,
// by way of the dictionaries on the way.
func (f *fileFeed) seek(row int64) (*batch, error) {
	for f.at < len(f.index.entries) {
		e := &f.index.entries[f.at]
		f.at++
		switch {
		case e.kind == dictionaryMessage:
			if err := f.dictionary(e); err != nil {
				return nil, err
			}
		case row < e.first+e.rows:
			return f.batch(e)
		}
	}
	panic(fmt.Sprintf("blockstore: row %d is not in %s", row, f.path))
}

// pipeFeed reads the messages of a pipe. It holds one of them.
type pipeFeed struct {
	path    string
	r       io.Reader
	schema  *schema
	body    body
	limits  Limits
	allowed *int64 // for batches, 0 for any
	chosen  []int  // columns
	row     int64
	dicts   dictionaries
	space   workspace
	peeked  *batch
	ended   func(marked bool) // is told whether the end mark was there
}

// newPipeFeed reads the schema of a stream.
func newPipeFeed(path string, r io.Reader, l Limits) (*pipeFeed, error) {
	f := &pipeFeed{path: path, r: r, limits: l, allowed: new(int64), body: body{Limits: l, name: path}, dicts: dictionaries{}, ended: func(bool) {}}
	m, err := pipedMessage(r, &f.body)
	if err == io.EOF || err == errUnmarked {
		err = errCut
	}
	if err != nil {
		return nil, err
	}
	f.schema, err = readSchema(m)
	return f, err
}

// want does nothing: dictionaries may have come before anybody could know, so
// all of them are read.
func (f *pipeFeed) want([]field) {}

func (f *pipeFeed) close() error {
	f.space.Close()
	f.body.close()
	return nil
}

// peek returns the first batch with rows, and leaves it for next.
func (f *pipeFeed) peek() (*batch, error) {
	for {
		b, err := f.next()
		if err != nil {
			return nil, err
		}
		if b.rows > 0 {
			f.peeked = b
			return b, nil
		}
	}
}

func (f *pipeFeed) next() (*batch, error) {
	if b := f.peeked; b != nil {
		f.peeked = nil
		return b, nil
	}
	b, err := f.read()
	var disk *file.SpoolError
	if errors.As(err, &disk) {
		return nil, fmt.Errorf("%s: after row %d: %w", f.path, f.row, err)
	}
	if err == nil {
		if err := f.affordable(b); err != nil {
			return nil, err
		}
	}
	if err != nil && err != io.EOF {
		return nil, fault.File(f.path, "after row %d: %w", f.row, fault.Damaged(err))
	}
	return b, err
}

// read reads messages up to the next batch.
func (f *pipeFeed) read() (*batch, error) {
	for {
		m, err := pipedMessage(f.r, &f.body)
		if err == errUnmarked {
			f.ended(false)
			return nil, io.EOF
		}
		if err == io.EOF {
			return nil, f.end()
		}
		if err != nil {
			return nil, err
		}
		if m.kind == dictionaryMessage {
			if err := f.dicts.read(m, f.schema.fields, &f.space); err != nil {
				return nil, err
			}
			continue
		}
		if m.kind != batchMessage {
			return nil, errMisplaced(m.kind)
		}
		rows, err := f.schema.check(m)
		if err != nil {
			return nil, err
		}
		b, err := newBatch(m, f.row, f.dicts, &f.space)
		f.row += rows
		return b, err
	}
}

// end makes sure that the end mark is followed by the end, and not by rows that
// a damaged byte cut off.
func (f *pipeFeed) end() error {
	var more [1]byte
	switch n, err := io.ReadFull(f.r, more[:]); {
	case n > 0:
		return fmt.Errorf("something follows the end mark of the stream")
	default:
		return err // io.EOF
	}
}
