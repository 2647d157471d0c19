package blockstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/stream"
)

// copyToStore copies a source into a store without a name in dir, which only the
// returned table knows.
func copyToStore(ctx context.Context, src stream.Source, dir string) (t *storeTable, err error) {
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
	if t, err = newStoreTable(src.Info().Name, f); err != nil {
		return nil, err
	}
	t.held, t.scans = f, src.Info().Scans+1
	return t, nil
}

// discard closes and removes a store that copyToStore has made.
func (t *storeTable) discard() error { return discard(t.held) }

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
	e, err := newStoreEncoder(w, stream.Info{Columns: info.Columns, Kept: info.Kept, Rows: -1}, false)
	if err != nil {
		return err
	}
	r, err := src.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	b := batchOf(info, e.chunkRows)
	for {
		n, err := r.Read(b)
		if err != nil && err != io.EOF {
			return err
		}
		if err := e.encode(b, n); err != nil {
			return err
		}
		if err == io.EOF {
			return e.finish()
		}
	}
}
