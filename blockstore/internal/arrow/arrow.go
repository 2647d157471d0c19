// Package arrow reads Arrow IPC files and streams, and writes them.
//
// # How it is read
//
// The library (arrow/go v16) understands the schema, and writes. Batches are read here,
// because the library
// holds a batch in memory twice whatever the columns wanted, allocates what a
// damaged length claims, takes a stream that was cut for one that ended, and
// decompresses zstd in goroutines of its own. Here the values of the chosen
// columns come from the file a tile at a time. Compressed buffers are unpacked as a whole, those
// of a batch into the memory of the batch before, but large ones in pieces, as they are read:
// frames are made for that.
//
// Opening reads the headers of all messages (a few hundred bytes for each
// batch), not the rows. What is checked: every message lies within the file,
// its arrays and buffers are those of the schema and lie within the message,
// the footer lists exactly the messages that are there, a stream ends with a
// message or its end mark and has nothing behind that, every array has as many values
// as the batch has rows and its buffers hold them. What cannot be checked: the values, since the
// format has no checksums.
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

// tileRows is how many rows, or numbers in lists, of a column are read at a
// time.
const tileRows = 4096

// table is an Arrow file or a file that holds a stream.
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

// OpenFile reads the headers of the open file f, which messages call path.
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
		infos[i] = column.Info{Name: f.name, Kind: f.kind, Width: f.width, Meaning: f.means, Type: f.holds, Why: f.why}
	}
	return infos
}

func (t *table) Source(c column.Choice) (stream.Gatherer, error) {
	wanted := *t
	wanted.index = t.index.with(c.Inexact)
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

// findWidths gives list columns the length of their first list that is not
// null. A column without one cannot be read.
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

// feed reads the batches of file in order and closes closer at the end, if it
// is not nil.
func (t *table) feed(file io.ReaderAt, closer io.Closer) *feed {
	return &feed{path: t.Path, index: t.index, file: file, closer: closer, dicts: dictionaries{}}
}

// needsWidths reports whether the width of some column is not known.
func (s *schema) needsWidths() bool {
	return slices.ContainsFunc(s.fields, func(f field) bool { return f.kind == column.Vector && f.width == 0 })
}

// learnWidths takes widths that are not known from a batch.
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

// learnWidth finds the first list that is not null, and makes sure that those after it in
// the batch are as long. Nulls are not counted.
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

// dropUnknown gives up list columns without a width.
func (s *schema) dropUnknown() {
	for i := range s.fields {
		if f := &s.fields[i]; f.kind == column.Vector && f.width == 0 {
			f.refuse("no lists with anything in them")
		}
	}
}
