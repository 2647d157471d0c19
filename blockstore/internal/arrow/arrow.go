// Package arrow reads Arrow IPC files and streams, and writes them.
//
// # Reading
//
// The library (arrow/go v16) parses the schema, and writes. This package reads batches itself. The
// library holds a batch in memory twice whatever columns are requested, allocates as much as a
// damaged length claims, mistakes a truncated stream for a complete one, and starts goroutines to
// decompress zstd. Here the values of the chosen columns are read from the file a tile at a time.
// Small compressed buffers are unpacked as a whole, into the memory of the previous batch, and
// large ones in pieces.
//
// Opening reads the headers of all messages (a few hundred bytes per batch), not the rows. It
// verifies that every message lies within the file; that its arrays and buffers match the schema
// and lie within the message; that the footer lists exactly the messages in the file; that a stream
// ends after a message or with its end mark; and that every array has the length of its batch with
// large enough buffers. It cannot verify values, since the format has no checksums.
package arrow

import (
	"context"
	"io"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// tileRows is the number of rows of a column, or of numbers in lists, read at a time.
const tileRows = 4096

// table is an Arrow file, or a file that holds a stream.
type table struct {
	column.TableInfo
	stamp file.Stamp
	index *index
}

// Open reads the headers of the Arrow file or stream at path.
func Open(ctx context.Context, files *file.Session, path string) (column.Table, error) {
	f, stamp, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenFile(path, f, stamp)
}

// OpenFile reads the headers of the open file f. path is its name in messages.
func OpenFile(path string, f file.File, stamp file.Stamp) (column.Table, error) {
	t := &table{TableInfo: column.TableInfo{Path: path}, stamp: stamp}
	var err error
	if t.index, err = newIndex(f, stamp.Size); err != nil {
		err = fault.File(path, "%w", fault.Damaged(err))
	} else {
		err = t.findWidths(f)
	}
	if err = stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	t.Rows, t.Columns, t.Nested, t.Unmarked = t.index.rows, t.index.schema.columns(), t.index.schema.nested, t.index.unmarked
	for i := range t.Columns {
		t.Columns[i].NoNulls = t.index.nulls == nil || !t.index.nulls[i]
	}
	return t, nil
}

// columns returns the fields of the schema.
func (s *schema) columns() []column.Info {
	infos := make([]column.Info, len(s.fields))
	for i, f := range s.fields {
		infos[i] = column.Info{Name: f.name, Kind: f.kind, Width: f.width, Meaning: f.meaning, Type: f.valueType,
			Why: f.unreadable}
	}
	return infos
}

func (t *table) Source(c column.Choice) (stream.Gatherer, error) {
	wanted := *t
	wanted.index = t.index.withInexact(c.Inexact)
	if t.Live {
		c.SetCosts(0, t.columnBytes(len(c.All(true))))
		return column.NewSource(c, t.stamp, func(ctx context.Context, f file.File, _ bool) column.Pass {
			return newPass(&c, wanted.index.schema, wanted.liveFeed(ctx, &c, f.(*file.Live), &t.TableInfo))
		}), nil
	}
	wanted.stamp = t.stamp.Places(len(c.All(true)))
	seekCost, readerBytes := t.readerCost(&c)
	c.SetCosts(seekCost, readerBytes+wanted.stamp.ReaderBytes())
	return column.NewSource(c, wanted.stamp, func(ctx context.Context, f file.File, _ bool) column.Pass {
		return newPass(&c, wanted.index.schema, wanted.feed(file.NewReaderAt(ctx, f), f))
	}), nil
}

// findWidths sets the width of list columns to the length of the first list that is not null. A
// column without one cannot be read.
func (t *table) findWidths(file io.ReaderAt) error {
	feed := t.feed(file, nil)
	defer feed.close()
	for t.index.schema.needsWidths() {
		batch, err := feed.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = t.index.schema.learnWidths(t.Path, batch)
		}
		if err != nil {
			return err
		}
	}
	t.index.schema.dropUnknown()
	return nil
}

// feed returns a feed of the batches of file, in order. closer, if not nil, is closed at the end.
func (t *table) feed(file io.ReaderAt, closer io.Closer) *feed {
	return &feed{path: t.Path, index: t.index, file: file, closer: closer, dicts: dictionaries{}}
}

// needsWidths reports whether the width of a column is unknown.
func (s *schema) needsWidths() bool {
	return slices.ContainsFunc(s.fields, func(f field) bool { return f.kind == column.Vector && f.width == 0 })
}

// learnWidths determines unknown widths from a batch.
func (s *schema) learnWidths(path string, b *batch) error {
	for i := range s.fields {
		f := &s.fields[i]
		if f.kind != column.Vector || f.width > 0 {
			continue
		}
		c := columnReader{path: path, field: f, s: &scratch{}}
		if err := c.open(b); err != nil {
			return err
		}
		if err := c.learnWidth(); err != nil {
			return err
		}
	}
	return nil
}

// learnWidth finds the first list that is not null, and checks that later lists in the batch have
// the same length. Nulls are ignored.
func (c *columnReader) learnWidth() error {
	for at := int64(0); at < c.array.length; at += tileRows {
		n := int(min(c.array.length-at, tileRows))
		if err := c.s.loadLists(c.field, &c.array, at, n); err != nil {
			return c.fault(err)
		}
		for i := range n {
			width := c.s.starts[i+1] - c.s.starts[i]
			switch {
			case !c.s.valid(i):
			case width > column.MaxWidth:
				c.refuse(errLongList.Error())
				return nil
			case c.width > 0 && int(width) != c.width || c.width == 0 && width == 0:
				c.refuse("lists of different lengths")
				return nil
			default:
				c.width = int(width)
			}
		}
	}
	return nil
}

// dropUnknown makes list columns without a width unreadable.
func (s *schema) dropUnknown() {
	for i := range s.fields {
		if f := &s.fields[i]; f.kind == column.Vector && f.width == 0 {
			f.refuse("no lists with anything in them")
		}
	}
}
