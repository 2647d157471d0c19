package store

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// Table is a store on disk.
type Table struct {
	column.TableInfo
	*shape
	stamp file.Stamp
}

// newTable reads the description of the store in f.
func newTable(path string, f io.ReaderAt, size int64) (*Table, error) {
	shape, err := readShape(f, size)
	if err != nil {
		return nil, fault.File(path, "%w", fault.Damaged(err))
	}
	t := &Table{TableInfo: column.TableInfo{Path: path, Rows: shape.rowCount}, shape: shape}
	kinds := [...]column.Kind{stream.Float64: column.Number, stream.Int64: column.Integer, stream.String: column.Text}
	t.Columns = make([]column.Info, 0, len(shape.fields))
	for i, f := range shape.fields {
		c := column.Info{Name: f.Name, Nameless: shape.nameless[i], Kind: kinds[f.Kind], Width: 1, Type: f.Type, NoNulls: true}
		c.Describe()
		t.Columns = append(t.Columns, c)
	}
	for i := range shape.sections.len() {
		if shape.sections.at(i).nullable() {
			t.Columns[i%len(shape.fields)].NoNulls = false
		}
	}
	return t, nil
}

// Open reads header, footer and trailer of the store at path.
func Open(ctx context.Context, files *file.Session, path string) (column.Table, error) {
	f, stamp, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenFile(path, f, stamp)
}

// OpenFile is Open for the open file f. path is its name in messages.
func OpenFile(path string, f file.File, stamp file.Stamp) (column.Table, error) {
	t, err := newTable(path, f, stamp.Size)
	if err = stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	t.stamp = stamp
	t.SetVersion(t.trailer[:])
	return t, nil
}

func (t *Table) Source(c column.Choice) (stream.Gatherer, error) {
	rows := int64(t.chunkRows)
	c.SetCosts(rows, 8*min(rows, t.rowCount)*int64(2*len(c.All(true)))+t.stamp.ReaderBytes()) // a chunk, stored and decompressed
	return column.NewSource(c, t.stamp, func(_ context.Context, f file.File, _ bool) column.Pass {
		return &pass{Choice: &c, table: t, chunks: &chunkReader{table: t, window: window{file: f}}}
	}), nil
}
