package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

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
	return do(ctx, name, object.Store.CanPut)
}

// Remove removes an object; that there is none is no error.
func Remove(ctx context.Context, name string) error {
	err := do(ctx, name, object.Store.Remove)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Exists reports whether there is an object of that name. Where it cannot be known it is
// taken to be there.
func Exists(ctx context.Context, name string) bool {
	_, err := Open(ctx, name)
	return !errors.Is(err, fs.ErrNotExist)
}

// do does something with the store of an object.
func do(ctx context.Context, name string, what func(s object.Store, ctx context.Context, url string) error) error {
	store, err := object.StoreOf(name)
	if err != nil {
		return err
	}
	err = object.Retry(ctx, func(ctx context.Context) error { return what(store, ctx, object.Reveal(name)) })
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
	return fmt.Errorf("%s: %w", name, err)
}
