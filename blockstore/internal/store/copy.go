package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// Copy copies a source into a store without a name in dir, which only the
// returned table knows.
func Copy(ctx context.Context, src stream.Source, dir string) (t *Table, err error) {
	f, err := os.CreateTemp(dir, "nystream-spool-*.nys")
	if err != nil {
		return nil, fmt.Errorf("cannot spool %s: %w", src.Info().Name, err)
	}
	os.Remove(f.Name()) // Windows refuses while the file is open: discard tries again
	defer func() {
		if err != nil {
			discard(f)
		}
	}()
	if err := copyRows(ctx, src, f); err != nil {
		return nil, fmt.Errorf("spooling to %s: %w", f.Name(), err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("spooling to %s: %w", f.Name(), err)
	}
	if t, err = newTable(src.Info().Name, f, size); err != nil {
		return nil, err
	}
	t.held, t.Scans = f, src.Info().Scans+1
	return t, nil
}

// Discard closes and removes a store that Copy has made.
func (t *Table) Discard() error { return discard(t.held) }

// discard closes and removes a temporary file.
func discard(f *os.File) error {
	err := f.Close()
	if left := os.Remove(f.Name()); !errors.Is(left, os.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return err
}

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
