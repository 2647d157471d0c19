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
	// held, when set, is the open file to read from: a spool has no name, and no stamp.
	held *file.Spool
}

// newTable describes the store in f.
func newTable(path string, f io.ReaderAt, size int64) (*Table, error) {
	shape, err := readShape(f, size)
	if err != nil {
		return nil, fault.File(path, "%w", fault.Damaged(err))
	}
	t := &Table{TableInfo: column.TableInfo{Path: path, Rows: shape.rowCount}, shape: shape}
	kinds := [...]column.Kind{stream.Float64: column.Number, stream.Int64: column.Integer, stream.String: column.Text}
	for _, f := range shape.fields {
		t.Columns = append(t.Columns, column.Info{Name: f.Name, Kind: kinds[f.Kind], Width: 1})
	}
	return t, nil
}

// Open reads header, footer and trailer of the store at path.
func Open(ctx context.Context, path string) (column.Table, error) {
	f, stamp, err := file.OpenStamped(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := newTable(path, f, stamp.Size)
	if err = stamp.Settle(f, err); err != nil {
		return nil, err
	}
	t.stamp = stamp
	t.SetVersion(t.trailer[:])
	return t, nil
}

func (t *Table) Source(c column.Choice) (stream.Source, error) {
	rows := int64(t.chunkRows)
	c.Reading(rows, 8*min(rows, t.rowCount)*int64(2*len(c.Numeric)+len(c.Kept))+t.stamp.Holds()) // a chunk, unpacked and in rows
	return &source{c, t}, nil
}

// settle returns the error in which reading of a file ended, or that the file was changed.
func (t *Table) settle(f file.File, err error) error {
	if t.held != nil {
		return err
	}
	return t.stamp.Settle(f, err)
}

// open opens the file and makes sure that it is the one seen first.
func (t *Table) open(ctx context.Context) (*chunkReader, error) {
	r := &chunkReader{table: t}
	if t.held != nil {
		r.file = t.held
		return r, nil
	}
	f, err := t.stamp.Open(ctx)
	if err != nil {
		return nil, err
	}
	var trailer [trailerSize]byte
	switch _, err := f.ReadAt(trailer[:], t.body); {
	case err != nil && err != io.EOF:
		f.Close()
		return nil, fault.File(t.Path, "%w", fault.Damaged(err))
	case err != nil || trailer != t.trailer:
		f.Close()
		return nil, fault.File(t.Path, "the file has changed since it was first opened; open it again")
	}
	r.file = f
	return r, nil
}
