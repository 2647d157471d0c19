package file

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"
)

// SpoolError reports that a copy on disk could not be written, of what can be read only once
// or not as it is. The data are not to blame.
type SpoolError struct {
	Name    string // of what is copied
	Dir     string // the folder of the copy
	Written int64  // bytes, before it failed
	Needed  int64  // bytes in all, at least; 0 if that is not known
	Err     error
}

// Error says what to do: the setting is `spool-dir`.
func (e *SpoolError) Error() string {
	needed := fmt.Sprintf("it takes more than the %s that were written", humanize.IBytes(uint64(e.Written)))
	if e.Needed > e.Written {
		needed = fmt.Sprintf("it takes about %s, of which %s were written", humanize.IBytes(uint64(e.Needed)), humanize.IBytes(uint64(e.Written)))
	}
	remedy := "name a folder with more room with `spool-dir`, or in TMPDIR"
	var over *OverRoomError
	if errors.As(e.Err, &over) {
		remedy = "raise `max-spool-size`, or name files that are read and written where they are, such as .parquet and .nys"
	}
	return fmt.Sprintf("%s is copied to the folder %s, which failed: %v; %s; %s", e.Name, e.Dir, e.Err, needed, remedy)
}

// Unwrap returns the cause.
func (e *SpoolError) Unwrap() error { return e.Err }

// Spool is a copy on its way. It remembers whether writing it failed, so that this is told
// from a failure of what is copied.
type Spool struct {
	file      *os.File // whose other ways to be written would go past Write
	name, dir string
	needs     int64 // bytes in all, at least, as far as that is known
	written   int64
	share     share
	failed    error
}

// CreateSpool starts a copy of what messages call name.
func CreateSpool(in Spools, name string) (*Spool, error) {
	if in.Dir == "" {
		in.Dir = os.TempDir()
	}
	s := &Spool{name: name, dir: in.Dir, share: share{room: in.Room}}
	f, err := CreateTemp(in.Dir, "spool", 0o600)
	if s.file = f; err != nil {
		s.failed = withoutPath(err)
		return nil, s.Settle(context.Background(), err)
	}
	if in.Made != nil {
		in.Made(s)
	}
	return s, nil
}

// Expect says that the copy will have at least so many bytes, for messages. The error is that
// there is no room for them.
func (s *Spool) Expect(bytes int64) error {
	s.needs = bytes
	if err := s.share.check(bytes); err != nil {
		s.failed = err
		return s.Settle(context.Background(), err)
	}
	return nil
}

// Write appends p.
func (s *Spool) Write(p []byte) (int, error) {
	if err := s.share.take(int64(len(p))); err != nil {
		if s.failed == nil {
			s.failed = err
		}
		return 0, err
	}
	n, err := s.file.Write(p)
	s.written += int64(n)
	if err != nil && s.failed == nil {
		s.failed = withoutPath(err)
	}
	return n, err
}

// Settle returns err, in which copying ended, or a SpoolError if writing failed.
func (s *Spool) Settle(ctx context.Context, err error) error {
	if err == nil || s.failed == nil || ctx.Err() != nil {
		return err
	}
	return &SpoolError{Name: s.name, Dir: s.dir, Written: s.written, Needed: s.needs, Err: s.failed}
}

// Path returns the path of the copy.
func (s *Spool) Path() string { return s.file.Name() }

// Unname takes the name away, so that the copy goes with the process, where the system allows
// that while it is open.
func (s *Spool) Unname() { os.Remove(s.file.Name()) }

// Size returns the number of bytes written.
func (s *Spool) Size() int64 { return s.written }

// ReadAt reads what was written.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) { return s.file.ReadAt(p, offset) }

// Close closes the copy.
func (s *Spool) Close() error {
	s.share.giveBack()
	return s.file.Close()
}

// Discard closes and removes the copy.
func (s *Spool) Discard() error {
	s.share.giveBack()
	err := s.file.Close()
	if left := os.Remove(s.file.Name()); !errors.Is(left, os.ErrNotExist) {
		err = errors.Join(err, withoutPath(left))
	}
	return err
}
