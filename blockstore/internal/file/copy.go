package file

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// SpoolError reports that a temporary file could not be written. The data are intact.
type SpoolError struct {
	Name    string // the source of the copy, or the object being written
	Dir     string // the folder of temporary files
	Written int64  // bytes written before the failure
	Err     error
}

// Error describes the failure. The remedy is another [Session.SpoolDir].
func (e *SpoolError) Error() string {
	remedy := "name a folder with more room with `Session.SpoolDir`, or in TMPDIR"
	var over *OverQuotaError
	if errors.As(e.Err, &over) {
		remedy = "raise `Session.Quota`, or name files that are read and written where they are, such as .parquet and .nys"
	}
	return fmt.Sprintf("%s: its copy in the folder %s failed: %v; it takes more than the %s that were written; %s",
		e.Name, e.Dir, e.Err, humanize.IBytes(uint64(e.Written)), remedy)
}

// Unwrap returns the cause.
func (e *SpoolError) Unwrap() error { return e.Err }

// Copy copies in to a temporary file, which belongs to the session, and returns its stamp, which
// stands for the file at path. The error is a *SpoolError if writing failed, or a fault about name
// if reading failed; in both cases the copy is removed.
func (s *Session) Copy(ctx context.Context, path, name string, in io.Reader) (Stamp, error) {
	t, err := s.createUnlinked(path, removed)
	if err != nil {
		return Stamp{}, &SpoolError{Name: path, Dir: s.spoolDir(), Err: WithoutPath(err)}
	}
	s.config().Copies.add(t)
	size, err := io.Copy(t, NewReader(ctx, in))
	if err == nil {
		s.config().Reads.copies(size)
		return Stamp{path: path, Size: size, copied: t, reads: s.config().Reads}, nil
	}
	if t.err == nil || ctx.Err() != nil {
		err = fault.File(name, "%w", err)
	}
	if left := t.Discard(); left != nil {
		return Stamp{}, errors.Join(err, left)
	}
	return Stamp{}, err
}

// Discard removes a copy that has no more readers.
func (s Stamp) Discard() error { return s.copied.Discard() }
