package arrow

import (
	"fmt"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// batch is a record batch in a message.
type batch struct {
	first, rows int64
	table       flatTable
	buffers     *ipcBuffers
	dicts       dictionaries
}

// open starts reading a batch.
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

// feed reads the messages of a file in the order of its index.
type feed struct {
	path   string
	index  *index
	file   io.ReaderAt
	closer io.Closer // nil if the file is closed elsewhere
	at     int       // index of the next entry
	chosen []field   // fields that will be read, to select dictionaries
	dicts  dictionaries
	space  workspace
	live   *live // input of a pipe, which has no index; nil for a file
}

func (f *feed) close() error {
	f.space.Close()
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// next returns the next batch, valid until the following call, or io.EOF after the last one.
func (f *feed) next() (*batch, error) {
	if f.live != nil {
		return f.nextLive()
	}
	for f.at < len(f.index.entries) {
		e := &f.index.entries[f.at]
		f.at++
		if e.kind == batchMessage {
			return f.batch(e)
		}
		if err := f.dictionary(e); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// batch reads the header of a batch.
func (f *feed) batch(e *entry) (*batch, error) {
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

// dictionary reads a dictionary if a wanted field uses it.
func (f *feed) dictionary(e *entry) error {
	m, err := e.message(f.file)
	if err == nil {
		err = f.dicts.read(m, f.chosen, &f.space)
	}
	if err != nil {
		return fault.File(f.path, "the dictionary at byte %d: %w", e.at, fault.Damaged(err))
	}
	return nil
}

// seek returns the batch that holds row, not before the current one. It reads the dictionaries on
// the way.
func (f *feed) seek(row int64) (*batch, error) {
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
