package file

import (
	"context"
	"errors"
	"sync"

	"github.com/nystream/nystream/blockstore/object"
)

// Session opens and creates files and objects, and holds their shared state. A nil field is
// replaced by a new one in each call. Calls of a nil *Session are independent. It is safe for
// concurrent use while the fields do not change.
type Session struct {
	// Stores gives access to objects; nil means those of object.Register.
	Stores *object.Stores
	// SpoolDir is the folder of temporary files, "" for the system default.
	SpoolDir string
	// Quota bounds the bytes of temporary files.
	Quota *Quota
	// Seen holds the first state of files and folders, which must not change.
	Seen *Seen
	// Objects caches opened objects, and parts of them.
	Objects *Objects
	// Copies collects the copies made, for their owner to discard.
	Copies *Copies
	// Reads counts reads, in sessions that open a single file.
	Reads *Reads
}

// Counting returns a copy of the session that counts its reads in r, for opening a single file.
func (s *Session) Counting(r *Reads) *Session {
	one := s.config()
	one.Reads = r
	return &one
}

// config returns the fields, zero for a nil session.
func (s *Session) config() Session {
	if s == nil {
		return Session{}
	}
	return *s
}

// stores returns the stores of objects.
func (s *Session) stores() *object.Stores {
	if stores := s.config().Stores; stores != nil {
		return stores
	}
	return object.Registered()
}

// objects returns the cache of objects.
func (s *Session) objects() *Objects {
	if objects := s.config().Objects; objects != nil {
		return objects
	}
	return new(Objects)
}

// Context returns the context for functions without a context argument.
func (s *Session) Context() context.Context { return s.stores().Base() }

// Copies is a set of temporary files with an owner. The zero value is empty.
type Copies struct {
	mu    sync.Mutex
	files []*Temp
}

// add adds a copy. If c is nil the copy has no owner and lives as long as the process.
func (c *Copies) add(t *Temp) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files = append(c.files, t)
}

// Discard removes all copies, which must have no more readers. More copies may be added later.
func (c *Copies) Discard() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed error
	for _, t := range c.files {
		failed = errors.Join(failed, t.Discard())
	}
	c.files = nil
	return failed
}
