package file

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
)

// putObject writes an object atomically.
func putObject(ctx context.Context, stores *object.Stores, name string, content io.ReaderAt, size int64) error {
	store, err := stores.Of(name)
	if err != nil {
		return err
	}
	return writeError(ctx, name, store.Put(ctx, object.Reveal(name), content, size, stores.Patience))
}

// CanPut returns an error if writing an object is known to fail.
func (s *Session) CanPut(ctx context.Context, name string) error {
	stores := s.stores()
	store, err := stores.Of(name)
	if err != nil {
		return err
	}
	err = stores.Patience.Retry(ctx, func(ctx context.Context, _ func()) error { return store.CanPut(ctx, object.Reveal(name)) })
	return writeError(ctx, name, err)
}

// writeError returns a write error that names the object. Errors of the context are unchanged.
func writeError(ctx context.Context, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fault.File(name, "%w", err)
}
