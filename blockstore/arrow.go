package blockstore

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/nystream/nystream/stream"
)

// # How Arrow IPC is read
//
// The library (arrow/go v16) understands the schema, gives the array types of
// the public adapters, and writes. Batches are read here, because the library
// holds a batch in memory twice whatever the columns wanted, allocates what a
// damaged length claims, takes a stream that was cut for one that ended, and
// decompresses zstd in goroutines of its own. Here the values of the chosen
// columns come from the file a tile at a time; only compressed buffers are
// unpacked as a whole.
//
// Opening reads the headers of all messages (a few hundred bytes for each
// batch), not the rows. What is checked: every message lies within the file,
// its arrays and buffers are those of the schema and lie within the message,
// the footer lists exactly the messages that are there, a stream has its end
// mark and nothing behind it, every array has as many values as the batch has
// rows and its buffers hold them. What cannot be checked: the values, since the
// format has no checksums.

// arrowTile is how many rows, or numbers in lists, of a column are read at a
// time.
const arrowTile = 4096

// arrowTable is an Arrow file or a file that holds a stream.
type arrowTable struct {
	tableInfo
	stamp stamp
	index *arrowIndex
}

// openArrow reads the headers of the Arrow file or stream at path.
func openArrow(path string) (table, error) {
	file, stamp, err := openStamped(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &arrowTable{tableInfo: tableInfo{path: path}, stamp: stamp}
	if t.index, err = indexArrow(file, stamp.size); err != nil {
		return nil, badFile(path, "%w", err)
	}
	if err := t.findWidths(file); err != nil {
		return nil, err
	}
	t.rows, t.columns = t.index.rows, t.index.schema.columns()
	return t, nil
}

// columns lists the fields of the schema.
func (s *arrowSchema) columns() []columnInfo {
	infos := make([]columnInfo, len(s.fields))
	for i, f := range s.fields {
		infos[i] = columnInfo{name: f.name, kind: f.kind, width: f.width}
	}
	return infos
}

func (t *arrowTable) source(c choice) (stream.Source, error) { return &arrowSource{c, t}, nil }

// findWidths gives list columns the length of their first list that is not
// null. A column without one cannot be read.
func (t *arrowTable) findWidths(file *os.File) error {
	feed := t.feed(file, nil)
	defer feed.close()
	for t.index.schema.needsWidths() {
		batch, err := feed.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = t.index.schema.learnWidths(t.path, batch)
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
func (t *arrowTable) feed(file *os.File, closer io.Closer) *fileFeed {
	return &fileFeed{path: t.path, index: t.index, file: file, closer: closer, dicts: arrowDictionaries{}}
}

// needsWidths says whether the width of some column is not known.
func (s *arrowSchema) needsWidths() bool {
	return slices.ContainsFunc(s.fields, func(f arrowField) bool { return f.kind == vectorColumn && f.width == 0 })
}

// learnWidths takes widths that are not known from a batch.
func (s *arrowSchema) learnWidths(path string, b *arrowBatch) error {
	for i := range s.fields {
		f := &s.fields[i]
		if f.kind != vectorColumn || f.width > 0 {
			continue
		}
		c := arrowColumnReader{path: path, arrowField: f}
		if err := c.open(b); err != nil {
			return err
		}
		if err := c.learnWidth(); err != nil {
			return err
		}
	}
	return nil
}

// learnWidth finds the first list that is not null.
func (c *arrowColumnReader) learnWidth() error {
	for at := int64(0); at < c.array.length; at += arrowTile {
		n := int(min(c.array.length-at, arrowTile))
		if err := c.s.loadLists(c.arrowField, &c.array, at, n); err != nil {
			return c.fault(err)
		}
		for i := range n {
			width := c.s.starts[i+1] - c.s.starts[i]
			if width > maxVectorWidth {
				return badCell(c.path, c.firstRow+at+int64(i), c.name, "a list of %d numbers is too long for a row (limit %d)", width, maxVectorWidth)
			}
			if c.s.valid(i) {
				c.width = int(width)
				return nil
			}
		}
	}
	return nil
}

// dropUnknown gives up list columns without a width.
func (s *arrowSchema) dropUnknown() {
	for i := range s.fields {
		if f := &s.fields[i]; f.kind == vectorColumn && f.width == 0 {
			f.kind, f.width = otherColumn, 1
		}
	}
}

// arrowPipe is an Arrow stream that can be read once.
type arrowPipe struct {
	tableInfo
	schema *arrowSchema
	feed   *pipeFeed
	opened bool
}

// openArrowStream begins to read the Arrow stream r, which messages call name.
// If a list column needs it, opening reads up to the first batch with a list in
// it and holds that batch.
func openArrowStream(r io.Reader, name string) (table, error) {
	feed, err := newPipeFeed(name, bufio.NewReader(r))
	if err != nil {
		return nil, badFile(name, "%w", err)
	}
	t := &arrowPipe{tableInfo: tableInfo{path: name, rows: -1, once: true}, schema: feed.schema, feed: feed}
	if err := t.findWidths(); err != nil {
		return nil, err
	}
	t.columns = t.schema.columns()
	return t, nil
}

// findWidths looks into the first batch with rows, which must have a list that
// is not null: earlier rows cannot be read again.
func (t *arrowPipe) findWidths() error {
	if t.schema.needsWidths() {
		batch, err := t.feed.peek()
		if err == nil {
			err = t.schema.learnWidths(t.path, batch)
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	t.schema.dropUnknown()
	return nil
}

func (t *arrowPipe) source(c choice) (stream.Source, error) { return &arrowPipeSource{c, t}, nil }

// arrowPipeSource is chosen columns of a pipe.
type arrowPipeSource struct {
	choice
	pipe *arrowPipe
}

// Open starts the only pass.
func (s *arrowPipeSource) Open(ctx context.Context) (stream.Reader, error) {
	if s.pipe.opened {
		return nil, fmt.Errorf("%s can be read only once; spool it first", s.pipe.path)
	}
	s.pipe.opened = true
	return newArrowReader(ctx, &s.choice, s.pipe.schema, s.pipe.feed), nil
}
