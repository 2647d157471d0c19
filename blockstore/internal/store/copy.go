package store

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// Copy copies a source into a store without a name among spools, which only the
// returned table knows.
func Copy(ctx context.Context, src stream.Source, spools file.Spools) (t *Table, err error) {
	info := src.Info()
	f, err := file.CreateSpool(spools, info.Name)
	if err != nil {
		return nil, err
	}
	f.Unname()
	defer func() {
		if err != nil {
			f.Discard()
		}
	}()
	if info.Rows > 0 {
		if err := f.Expect(8 * info.Rows * int64(len(info.Columns)+len(info.Kept))); err != nil {
			return nil, err
		}
	}
	if err := copyRows(ctx, src, f); err != nil {
		return nil, f.Settle(ctx, err)
	}
	if t, err = newTable(info.Name, f, f.Size()); err != nil {
		return nil, err
	}
	t.held, t.Scans = f, info.Scans+1
	return t, nil
}

// Discard closes and removes a store that Copy has made.
func (t *Table) Discard() error { return t.held.Discard() }

// copyRows writes a store of all rows of src.
func copyRows(ctx context.Context, src stream.Source, w io.Writer) error {
	info := src.Info()
	e, err := NewEncoder(w, stream.Info{Columns: info.Columns, Kept: info.Kept, Rows: -1}, false)
	if err != nil {
		return err
	}
	r, err := src.Open(ctx, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	b := column.NewBatch(info, e.chunkRows)
	for {
		n, err := r.Read(b)
		if err != nil && err != io.EOF {
			return err
		}
		if err := e.Encode(b, n); err != nil {
			return err
		}
		if err == io.EOF {
			return e.Finish()
		}
	}
}
