package file

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

// Object is one version of an object in a store. Its readers share what they fetch.
type Object struct {
	Name    string
	Size    int64
	object  object.Object
	stores  *object.Stores
	chunks  *cache
	changed atomic.Bool // a newer version exists

	requests, fetched atomic.Int64 // requests to the store, and the bytes of its answers
}

// Objects holds the objects that a session has opened, and chunks of them in memory: as many as
// open readers may hold, and at most 16 MiB without a reader. The zero value is empty.
type Objects struct {
	mu     sync.Mutex
	known  map[string]*Object
	chunks cache
}

// keep adds an object unless one of that name is there, and returns the stored version.
func (s *Objects) keep(o *Object) *Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.known[o.Name]; first != nil {
		return first
	}
	if s.known == nil {
		s.known = make(map[string]*Object)
	}
	s.known[o.Name] = o
	return o
}

// find returns a stored object, or nil.
func (s *Objects) find(name string) *Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[name]
}

// OpenObject returns an object. It asks the store unless the session has the object.
func (s *Session) OpenObject(ctx context.Context, name string) (*Object, error) {
	stores, objects := s.stores(), s.objects()
	if o := objects.find(name); o != nil {
		return o, nil
	}
	store, err := stores.Of(name)
	if err != nil {
		return nil, err
	}
	o := &Object{Name: name, stores: stores, chunks: &objects.chunks}
	var head []byte
	err = stores.Patience.Retry(ctx, func(ctx context.Context, _ func()) (err error) {
		o.object, head, err = store.Open(ctx, object.Reveal(name), edgeBytes)
		o.count(len(head))
		return err
	})
	if err != nil {
		return nil, objectError(ctx, name, err)
	}
	o.Size = o.object.Size()
	if o = objects.keep(o); len(head) > 0 {
		o.chunks.put(o.head(), head)
	}
	return o, nil
}

// count counts a request and the bytes of its answer.
func (o *Object) count(bytes int) {
	o.requests.Add(1)
	o.fetched.Add(int64(bytes))
}

// Version returns the version of the object in the store, "" if unknown.
func (o *Object) Version() string {
	if v, ok := o.object.(interface{ Version() string }); ok {
		return v.Version()
	}
	return ""
}

// objectError returns an error that names the object. Errors of the context are unchanged.
func objectError(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return noObject(name)
	}
	e := fault.File(name, "%w", err)
	if e.Remedy == "" {
		return e.WithRemedy("start again later, or use a file")
	}
	return e
}

// noObject reports that an object does not exist.
func noObject(name string) *stream.DataError {
	return fault.File(name, "no such object").WithKind(stream.Missing).WithRemedy("is the address right?")
}
