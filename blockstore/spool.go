package blockstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/stream"
)

// Spool copies the rows of src, which may be readable only once, into a
// temporary store in dir ("" means the system's temporary folder) and returns
// a source that reads them from there as often as needed. The copy takes 8
// bytes a number on disk. It has no name where the system allows that, so it
// goes when the process ends; cleanup removes it earlier, after which the
// source cannot be read.
func Spool(ctx context.Context, src stream.Source, dir string) (spooled stream.Source, cleanup func() error, err error) {
	info := src.Info()
	t, err := spoolTable(ctx, src, dir)
	if err != nil {
		return nil, nil, err
	}
	d := len(info.Columns)
	s, err := choose(t, upTo(0, d), upTo(d, len(t.columns)))
	if err != nil {
		return nil, nil, errors.Join(err, discard(t.held))
	}
	return s, func() error { return discard(t.held) }, nil
}

// spoolTable copies a source into a store that only the returned table knows.
func spoolTable(ctx context.Context, src stream.Source, dir string) (t *storeTable, err error) {
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
