package blockstore

import (
	"context"
	"errors"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/store"
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
	t, err := store.Copy(ctx, src, dir)
	if err != nil {
		return nil, nil, err
	}
	d := len(info.Columns)
	s, err := column.Choose(t, upTo(0, d), upTo(d, len(t.Columns)))
	if err != nil {
		return nil, nil, errors.Join(err, t.Discard())
	}
	return s, t.Discard, nil
}
