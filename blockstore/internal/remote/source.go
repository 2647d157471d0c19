// Package remote reads and writes objects as if they were files: [Source] is an object
// that is known again, [Reader] gives bytes anywhere in it, [Expand] finds the objects that
// globs and folders mean, and [Put] writes one.
//
// # How it is read
//
// Requests are few and large, since each costs the same some ten milliseconds: an object
// is fetched in chunks, which all readers share. A reader promises how many places of the
// object it goes through at the same time, the columns of a Parquet file for instance; it
// may hold a chunk for each and a few that it reads ahead, and the chunks are made as
// small as it takes for that to fit in a fixed number of bytes. The chunks used longest
// ago go first. What a reader may hold is known before it reads ([Holds]).
//
// A request that fails, stops in the middle or stalls is made again, from where it came
// to, with growing pauses. All requests are for one version of the object. Its first and last
// bytes are fetched in small ranges ([Edges]), and larger chunks leave them out.
package remote

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

// Source is one version of an object.
type Source struct {
	Name    string
	Size    int64
	object  object.Object
	changed atomic.Bool // there is another version now
}

// known is the objects that one command, or one opening of data, has seen already.
type known struct {
	sync.Mutex
	sources map[string]*Source
}

type knownKey struct{}

// Remember returns a context in which the objects that are found are not asked for again:
// ctx itself, if it is such a one. Readers of a source share what they fetch.
func Remember(ctx context.Context) context.Context {
	if _, ok := ctx.Value(knownKey{}).(*known); ok {
		return ctx
	}
	return context.WithValue(ctx, knownKey{}, &known{sources: make(map[string]*Source)})
}

// remember keeps an object that was found, and returns the version found first.
func remember(ctx context.Context, s *Source) *Source {
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

// recall returns an object that was found, or nil.
func recall(ctx context.Context, name string) *Source {
	k, ok := ctx.Value(knownKey{}).(*known)
	if !ok {
		return nil
	}
	k.Lock()
	defer k.Unlock()
	return k.sources[name]
}

// Open asks for an object.
func Open(ctx context.Context, name string) (*Source, error) {
	if s := recall(ctx, name); s != nil {
		return s, nil
	}
	store, err := object.StoreOf(name)
	if err != nil {
		return nil, err
	}
	s := &Source{Name: name}
	var head []byte
	err = object.Retry(ctx, func(ctx context.Context) (err error) {
		s.object, head, err = store.Open(ctx, object.Reveal(name), edgeBytes)
		return err
	})
	if err != nil {
		return nil, named(ctx, name, err)
	}
	s.Size = s.object.Size()
	if s = remember(ctx, s); len(head) > 0 {
		shared.put(s.head(), head)
	}
	return s, nil
}

// Version returns what the store calls this version of the object, "" if it does not tell.
func (s *Source) Version() string {
	if v, ok := s.object.(interface{ Version() string }); ok {
		return v.Version()
	}
	return ""
}

// named returns an error that names the object, but that of a context as it is.
func named(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return noObject(name)
	}
	e := fault.File(name, "%w", err)
	if e.Remedy == "" {
		return e.Do("start again later, or use a file")
	}
	return e
}

// noObject returns the error that an object does not exist.
func noObject(name string) *stream.DataError {
	return fault.File(name, "no such object").Of(stream.Missing).Do("is the address right?")
}
