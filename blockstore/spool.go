package blockstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/stream"
	"gonum.org/v1/gonum/blas/blas64"
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
	d, all := len(info.Columns), make([]int, len(t.fields))
	for i := range all {
		all[i] = i
	}
	s, err := t.choose(all[:d], all[d:])
	if err != nil {
		return nil, nil, errors.Join(err, t.discard())
	}
	return s, t.discard, nil
}

// spoolTable copies a source into a store that only the returned table knows.
func spoolTable(ctx context.Context, src stream.Source, dir string) (_ *storeTable, err error) {
	f, err := os.CreateTemp(dir, "nystream-spool-*.nys")
	if err != nil {
		return nil, fmt.Errorf("cannot spool %s: %w", src.Info().Name, err)
	}
	t := &storeTable{path: src.Info().Name, held: f, read: src.Info().Scans + 1}
	os.Remove(f.Name()) // Windows refuses while the file is open: discard tries again
	defer func() {
		if err != nil {
			t.discard()
		}
	}()
	if err := copyRows(ctx, src, f); err != nil {
		return nil, fmt.Errorf("spooling to %s: %w", f.Name(), err)
	}
	if t.storeShape, err = readShape(f); err != nil {
		return nil, badFile(f.Name(), "%w", err)
	}
	return t, nil
}

// discard removes a spool.
func (t *storeTable) discard() error {
	err := t.held.Close()
	if left := os.Remove(t.held.Name()); !errors.Is(left, os.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return err
}

// copyRows writes a store of all rows of src.
func copyRows(ctx context.Context, src stream.Source, w io.Writer) error {
	info := src.Info()
	e, err := newStoreEncoder(w, Schema{Columns: info.Columns, Kept: info.Kept, Rows: -1}, StoreOptions{})
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
		if err := e.Write(b, n); err != nil {
			return err
		}
		if err == io.EOF {
			return e.finish()
		}
	}
}

// batchOf is a batch for rows of a source with its kept columns. There may be
// nothing but kept columns.
func batchOf(info stream.Info, rows int) *stream.Batch {
	d := len(info.Columns)
	b := &stream.Batch{X: blas64.General{Rows: rows, Cols: d, Stride: d, Data: make([]float64, rows*d)}}
	for _, f := range info.Kept {
		b.Kept = append(b.Kept, stream.Column{Kind: f.Kind})
	}
	return b
}
