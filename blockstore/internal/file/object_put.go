package file

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
)

// putObject writes an object, whole or not at all.
func putObject(ctx context.Context, stores *object.Stores, name string, content io.ReaderAt, size int64) error {
	store, err := stores.Of(name)
	if err != nil {
		return err
	}
	return written(ctx, name, store.Put(ctx, object.Reveal(name), content, size, stores.Patience))
}

// CanPut returns why writing an object will fail, as far as that is known beforehand.
func (s *Session) CanPut(ctx context.Context, name string) error {
	stores := s.stores()
	store, err := stores.Of(name)
	if err != nil {
		return err
	}
	err = stores.Patience.Retry(ctx, func(ctx context.Context, _ func()) error { return store.CanPut(ctx, object.Reveal(name)) })
	return written(ctx, name, err)
}

// written returns an error of writing that names the object, but that of a context as it is.
func written(ctx context.Context, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fault.File(name, "%w", err)
}
