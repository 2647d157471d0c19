package remote

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
)

// Put writes an object, whole or not at all.
func Put(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	store, err := object.StoreOf(name)
	if err != nil {
		return err
	}
	return written(ctx, name, store.Put(ctx, object.Reveal(name), content, size))
}

// CanPut returns why Put will fail, as far as that is known beforehand.
func CanPut(ctx context.Context, name string) error {
	store, err := object.StoreOf(name)
	if err != nil {
		return err
	}
	err = object.Retry(ctx, func(ctx context.Context) error { return store.CanPut(ctx, object.Reveal(name)) })
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
