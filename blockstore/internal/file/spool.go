package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dustin/go-humanize"
	"github.com/nystream/nystream/blockstore/internal/fault"
)

// SpoolError reports that a copy on disk could not be written. The data are not to blame.
type SpoolError struct {
	Name    string // of what is copied
	Dir     string // the folder of the copy
	Written int64  // bytes, before it failed
	Err     error
}

// Error says what to do: the setting is `spool-dir`.
func (e *SpoolError) Error() string {
	remedy := "name a folder with more room with `spool-dir`, or in TMPDIR"
	var over *OverRoomError
	if errors.As(e.Err, &over) {
		remedy = "raise `max-spool-size`, or name files that are read and written where they are, such as .parquet and .nys"
	}
	return fmt.Sprintf("%s is copied to the folder %s, which failed: %v; it takes more than the %s that were written; %s",
		e.Name, e.Dir, e.Err, humanize.IBytes(uint64(e.Written)), remedy)
}

// Unwrap returns the cause.
func (e *SpoolError) Unwrap() error { return e.Err }

// spool is a copy on disk, which loses its name when it is made. It remembers why writing it
// failed, which is told from a failure of what is copied.
type spool struct {
	file    *os.File
	written int64
	share   share
	failed  error
}

// Write appends p.
func (s *spool) Write(p []byte) (n int, err error) {
	if s.failed = s.share.take(int64(len(p))); s.failed != nil {
		return 0, s.failed
	}
	if n, err = s.file.Write(p); err != nil {
		s.failed = withoutPath(err)
	}
	s.written += int64(n)
	return n, err
}

// discard closes and removes the copy.
func (s *spool) discard() error {
	s.share.giveBack()
	err := s.file.Close()
	if left := os.Remove(s.file.Name()); !errors.Is(left, os.ErrNotExist) {
		err = errors.Join(err, withoutPath(left))
	}
	return err
}

// Copy copies what in gives to a file without a name, which goes when the process ends, and
// returns the stamp of that file. It stands for the file at path. The error is a SpoolError if
// writing failed, else the one of reading, as a fault of what messages call name.
func Copy(ctx context.Context, spools Spools, path, name string, in io.Reader) (s Stamp, err error) {
	f, err := CreateTemp(spools.Dir, "spool", 0o600)
	if spools.Dir == "" {
		spools.Dir = os.TempDir()
	}
	if err != nil {
		return s, &SpoolError{Name: path, Dir: spools.Dir, Err: withoutPath(err)}
	}
	os.Remove(f.Name()) // Windows refuses while the file is open: discard tries again
	to := &spool{file: f, share: share{room: spools.Room}}
	if spools.Made != nil {
		spools.Made(to.discard)
	}
	_, err = io.Copy(to, NewReader(ctx, in))
	switch {
	case err == nil:
		return Stamp{path: path, Size: to.written, copied: to}, nil
	case to.failed != nil && ctx.Err() == nil:
		err = &SpoolError{Name: path, Dir: spools.Dir, Written: to.written, Err: to.failed}
	default:
		err = fault.File(name, "%w", err)
	}
	if left := to.discard(); left != nil {
		return s, errors.Join(err, left)
	}
	return s, err
}

// Discard closes and removes a copy, from which nothing is read any more.
func (s Stamp) Discard() error { return s.copied.discard() }

// copied is the open file of a copy, which stays open.
type copied struct{ io.ReaderAt }

func (copied) Close() error { return nil }
