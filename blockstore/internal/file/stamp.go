package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
	"github.com/nystream/nystream/stream"
)

// Stamp identifies the state of a file by device, inode, size and modification time. Rewriting a
// file with the same content is a change. Three changes of equal size go unnoticed: one in the same
// tick of the file system's clock, unless a session waits for the next; one in a mapping that the
// system has not written back; and one that resets the time.
//
// The version of an object comes from its store, and all reads request this version.
type Stamp struct {
	path   string
	Size   int64
	info   fs.FileInfo
	object *Object // nil for a file
	places int     // places read at the same time; 0 means one
	live   *Live   // the input itself, which has no file; nil for a file
	copied *Temp   // copy to read instead, which nobody else can change; nil for the file itself

	reads    *Reads // of the session that opened the file, or nil
	byNumber bool   // its readers gather rows
}

// File is an open file or object. ReadAt is safe for concurrent use. A short read returns an error,
// and its bytes are valid. Whoever opened the file closes it once, after the last ReadAt.
type File interface {
	io.ReaderAt
	io.Closer
}

// Open opens the regular file or object at path and returns its stamp. Reads of an object end with
// ctx. It returns an error for a file that changed since the session first opened it.
func (s *Session) Open(ctx context.Context, path string) (File, Stamp, error) {
	if IsRemote(path) {
		_, stamp, err := s.OpenEdges(ctx, path)
		if err != nil {
			return nil, stamp, err
		}
		return stamp.object.Reader(ctx, 1), stamp, nil
	}
	file, stamp, err := openRegular(path)
	if err != nil {
		return nil, stamp, err
	}
	if stamp, err = s.config().Seen.check(file, stamp); err != nil {
		file.Close()
		return nil, stamp, err
	}
	stamp.reads = s.config().Reads
	stamp.reads.opened(stamp.Size, nil)
	return countedFile{file, stamp.reads, false}, stamp, nil
}

// OpenEdges is Open for a reader of magic numbers, footers and page headers: it fetches small
// ranges of an object.
func (s *Session) OpenEdges(ctx context.Context, path string) (File, Stamp, error) {
	if !IsRemote(path) {
		return s.Open(ctx, path)
	}
	o, err := s.OpenObject(ctx, path)
	if err != nil {
		return nil, Stamp{}, err
	}
	reads := s.config().Reads
	reads.opened(o.Size, o)
	return o.Edges(ctx), Stamp{path: path, Size: o.Size, object: o, reads: reads}, nil
}

// openRegular opens a file.
func openRegular(path string) (*os.File, Stamp, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, Stamp{}, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault.File(path, "not a regular file").WithRemedy("write what it holds to one first")
	}
	if err != nil {
		file.Close()
		return nil, Stamp{}, err
	}
	return file, Stamp{path: path, Size: info.Size(), info: info}, nil
}

// Places returns the stamp for readers of n places of the file at the same time.
func (s Stamp) Places(n int) Stamp {
	s.places = n
	return s
}

// ByNumber returns the stamp for a reader that gathers the given number of rows.
func (s Stamp) ByNumber(rows int) Stamp {
	s.reads.Fetched(rows)
	s.byNumber = true
	return s
}

// ReaderBytes returns the memory for an open object; it is 0 for a file.
func (s Stamp) ReaderBytes() int64 {
	if s.object == nil || s.copied != nil {
		return 0
	}
	return s.object.ReaderBytes(s.places)
}

// IsRemote reports whether the stamp is that of an object.
func (s Stamp) IsRemote() bool { return s.object != nil }

// Open opens the file again. It returns an error if the file has changed.
func (s Stamp) Open(ctx context.Context) (File, error) {
	if s.live != nil {
		return s.live.open(s.path)
	}
	if s.copied != nil {
		return countedFile{s.copied.reader(), s.reads, s.byNumber}, nil
	}
	if s.object != nil {
		return s.object.Reader(ctx, s.places), nil
	}
	file, now, err := openRegular(s.path)
	if err != nil {
		return nil, err
	}
	if what := s.difference(now.info); what != "" {
		file.Close()
		return nil, s.changed("%s", what)
	}
	return countedFile{file, s.reads, s.byNumber}, nil
}

// OpenAnytime is Open for callers without a context. Reads of an object end with the context of its
// stores.
func (s Stamp) OpenAnytime() (File, error) {
	stores := object.Registered()
	if s.object != nil {
		stores = s.object.stores
	}
	return s.Open(stores.Base())
}

// CheckUnchanged returns an error if the file was changed, removed or replaced while it was open.
// Otherwise it returns err, the error with which reading ended. A cancelled read keeps its error.
func (s Stamp) CheckUnchanged(file File, err error) error {
	if s.object != nil || s.copied != nil || s.live != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	what := s.changeOf(Mappable(file))
	if what == "" {
		return err
	}
	changed := s.changed("%s", what)
	if err == nil || err == io.EOF {
		return changed
	}
	return s.changed("%s, and reading it came to this: %w", what, err)
}

// changeOf describes what happened to the open file or to its name since it was stamped.
func (s Stamp) changeOf(file *os.File) string {
	now, err := file.Stat()
	if err != nil {
		return err.Error()
	}
	if what := s.difference(now); what != "" {
		return what
	}
	if now, err = os.Stat(s.path); err != nil {
		return "it is no longer under its name"
	}
	return s.difference(now)
}

// difference describes how a file differs from the stamp, "" if it does not.
func (s Stamp) difference(now fs.FileInfo) string {
	then := s.info
	switch {
	case !os.SameFile(then, now):
		return "another file has its name"
	case then.Size() != now.Size():
		return fmt.Sprintf("it had %d bytes and has %d", then.Size(), now.Size())
	case !then.ModTime().Equal(now.ModTime()):
		return "it was written at " + now.ModTime().Format("2006-01-02 15:04:05.000")
	}
	return ""
}

// ErrChanged is the cause of errors about files that changed while they were in use.
var ErrChanged = errors.New("the file was changed after it was opened")

// changed reports that the file was changed, with details.
func (s Stamp) changed(format string, args ...any) *stream.DataError {
	return fault.File(s.path, "%w: "+format, append([]any{ErrChanged}, args...)...).WithKind(stream.Changed).
		WithRemedy("start again")
}
