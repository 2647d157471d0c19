package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
)

// Object is one version of an object in a store. Its readers share what they fetch.
type Object struct {
	Name    string
	Size    int64
	object  object.Object
	changed atomic.Bool // there is another version now
}

// known is the objects that one command, or one opening of data, has seen already.
type known struct {
	sync.Mutex
	sources map[string]*Object
}

type knownKey struct{}

// RememberObjects returns a context in which the objects that are found are not asked for again:
// ctx itself, if it is such a one. Readers of a source share what they fetch.
func RememberObjects(ctx context.Context) context.Context {
	if _, ok := ctx.Value(knownKey{}).(*known); ok {
		return ctx
	}
	return context.WithValue(ctx, knownKey{}, &known{sources: make(map[string]*Object)})
}

// rememberObject keeps an object that was found, and returns the version found first.
func rememberObject(ctx context.Context, s *Object) *Object {
	k, ok := ctx.Value(knownKey{}).(*known)
	if !ok {
		return s
	}
	k.Lock()
	defer k.Unlock()
	if first := k.sources[s.Name]; first != nil {
		return first
	}
	k.sources[s.Name] = s
	return s
}

// recallObject returns an object that was found, or nil.
func recallObject(ctx context.Context, name string) *Object {
	k, ok := ctx.Value(knownKey{}).(*known)
	if !ok {
		return nil
	}
	k.Lock()
	defer k.Unlock()
	return k.sources[name]
}

// OpenObject asks for an object.
func OpenObject(ctx context.Context, name string) (*Object, error) {
	if s := recallObject(ctx, name); s != nil {
		return s, nil
	}
	store, err := object.StoreOf(name)
	if err != nil {
		return nil, err
	}
	s := &Object{Name: name}
	var head []byte
	err = object.Retry(ctx, func(ctx context.Context) (err error) {
		s.object, head, err = store.Open(ctx, object.Reveal(name), edgeBytes)
		return err
	})
	if err != nil {
		return nil, objectError(ctx, name, err)
	}
	s.Size = s.object.Size()
	if s = rememberObject(ctx, s); len(head) > 0 {
		shared.put(s.head(), head)
	}
	return s, nil
}

// Version returns what the store calls this version of the object, "" if it does not tell.
func (s *Object) Version() string {
	if v, ok := s.object.(interface{ Version() string }); ok {
		return v.Version()
	}
	return ""
}

// objectError returns an error that names the object, but that of a context as it is.
func objectError(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such object%w; is the address right?", name, silent{err})
	}
	return fault.File(name, "%w", remedied(err))
}

// remedied adds what to do to an error of a server that does not say it.
func remedied(err error) error {
	if text := err.Error(); strings.Contains(text, "; ") || strings.HasSuffix(text, "?") {
		return err
	}
	return fmt.Errorf("%w; start again later, or use a file", err)
}

// silent is an error that is known and not printed.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (e silent) Unwrap() error { return e.error }
