package file

import (
	"cmp"
	"fmt"
	"os"
	"sync"

	"github.com/dustin/go-humanize"
)

// Spools say where copies on disk go, and how much room they may take. The zero value is the
// system's folder for temporary files, and any room.
type Spools struct {
	Dir  string // "" for the system's folder for temporary files
	Room *Room  // nil for any
	// Made, if not nil, is given what removes a copy, for every copy.
	Made func(discard func() error)
}

// Room is what copies on disk may take in all, at one time. All readers and writers of a run
// share one; nil is any room. It may be used from several goroutines.
type Room struct {
	limit int64  // 0 for none
	of    string // what the limit is a share of, for messages; "" of a limit that was named
	mu    sync.Mutex
	taken int64
	most  int64
}

// NewRoom returns room for so many bytes, 0 for any.
func NewRoom(bytes int64) *Room { return &Room{limit: max(0, bytes)} }

// HalfFree returns room for half of what is free on the disk of a folder, "" being the system's
// for temporary files; any room where the system does not tell.
func HalfFree(dir string) *Room {
	dir = cmp.Or(dir, os.TempDir())
	free := freeBytes(dir)
	if free < 0 {
		return NewRoom(0)
	}
	r := NewRoom(max(1, free/2)) // a full disk has no room, and 0 would be any
	r.of = fmt.Sprintf(", half of the %s that were free in %s", humanize.IBytes(uint64(free)), dir)
	return r
}

// Most returns the most bytes that copies have taken at one time, 0 of a nil room.
func (r *Room) Most() (bytes int64) {
	s := share{room: r}
	_ = s.within(func() error { // which does not fail
		bytes = r.most
		return nil
	})
	return bytes
}

// OverRoomError reports that copies would take more of a disk than they may. Nothing of what
// was too much was written.
type OverRoomError struct {
	Limit  int64 // bytes that all copies may take
	Others int64 // bytes of the other copies that there are
	of     string
}

// Error says what the limit is: the setting is `max-spool-size`.
func (e *OverRoomError) Error() string {
	others := ""
	if e.Others > 0 {
		others = fmt.Sprintf(", of which others have %s", humanize.IBytes(uint64(e.Others)))
	}
	return fmt.Sprintf("copies may take %s in all%s%s (`max-spool-size`)", humanize.IBytes(uint64(e.Limit)), e.of, others)
}

// share is the part of a room that one copy has.
type share struct {
	room  *Room
	bytes int64
}

// within runs f while nobody else changes the room. Of a nil room it does nothing.
func (s *share) within(f func() error) error {
	if s.room == nil {
		return nil
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	return f()
}

// fits returns an error unless the share can grow to so many bytes. The room is locked.
func (s *share) fits(bytes int64) error {
	if others := s.room.taken - s.bytes; s.room.limit > 0 && bytes > s.room.limit-others {
		return &OverRoomError{Limit: s.room.limit, Others: others, of: s.room.of}
	}
	return nil
}

// take makes the share n bytes larger, or returns an error and leaves it as it is.
func (s *share) take(n int64) error {
	return s.within(func() error {
		if err := s.fits(s.bytes + n); err != nil {
			return err
		}
		s.bytes += n
		s.room.taken += n
		s.room.most = max(s.room.most, s.room.taken)
		return nil
	})
}

// giveBack empties the share. It may be called again.
func (s *share) giveBack() {
	_ = s.within(func() error { // which does not fail
		s.room.taken -= s.bytes
		s.bytes = 0
		return nil
	})
}
