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
	return do(ctx, name, func(s object.Store, url string) error { return s.Put(ctx, url, content, size) })
}

// CanPut returns why Put will fail, as far as that is known beforehand.
func CanPut(ctx context.Context, name string) error {
	return do(ctx, name, func(s object.Store, url string) error { return s.CanPut(ctx, url) })
}

// Remove removes an object; that there is none is no error.
func Remove(ctx context.Context, name string) error {
	err := do(ctx, name, func(s object.Store, url string) error { return s.Remove(ctx, url) })
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
func do(ctx context.Context, name string, what func(s object.Store, url string) error) error {
	store, err := object.StoreOf(name)
	if err != nil {
		return err
	}
	err = again(ctx, func() error { return what(store, object.Reveal(name)) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%s: %w", name, err)
}
