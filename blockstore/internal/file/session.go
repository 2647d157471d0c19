package file

import (
	"context"
	"errors"
	"sync"

	"github.com/nystream/nystream/blockstore/object"
)

// Session opens and creates files and objects, and has what they share. A nil field is not shared:
// each call has one of its own. All calls of a nil *Session are independent. Its methods may be
// called from several goroutines; the fields are not changed meanwhile.
type Session struct {
	// Stores reach objects; if nil, those of object.Register do.
	Stores *object.Stores
	// SpoolDir is the folder of temporary files, "" for the system's.
	SpoolDir string
	// Quota bounds the bytes of temporary files.
	Quota *Quota
	// Seen has what files and folders were when they were opened first. They have to stay so.
	Seen *Seen
	// Objects has the objects that were opened, and parts of them.
	Objects *Objects
	// Copies are the copies that were made, for their owner to discard.
	Copies *Copies
	// Reads counts what is read, for sessions that open a single file.
	Reads *Reads
}

// Counting returns the session for the opening of a single file, whose reads it counts.
func (s *Session) Counting(r *Reads) *Session {
	one := s.config()
	one.Reads = r
	return &one
}

// config returns the fields, also of a nil session.
func (s *Session) config() Session {
	if s == nil {
		return Session{}
	}
	return *s
}

// stores returns what reaches objects.
func (s *Session) stores() *object.Stores {
	if stores := s.config().Stores; stores != nil {
		return stores
	}
	return object.Registered()
}

// objects returns the objects that were opened.
func (s *Session) objects() *Objects {
	if objects := s.config().Objects; objects != nil {
		return objects
	}
	return new(Objects)
}

// Context returns the context of functions that are given none.
func (s *Session) Context() context.Context { return s.stores().Base() }

// Copies are temporary files that somebody owns. The zero value has none.
type Copies struct {
	mu    sync.Mutex
	files []*Temp
}

// add gives a copy to its owner. If c is nil nobody owns it, and it goes with the process.
func (c *Copies) add(t *Temp) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files = append(c.files, t)
}

// Discard removes all copies, which nothing reads any more. More copies may come.
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
