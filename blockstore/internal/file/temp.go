package file

import (
	"cmp"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/object"
)

// BufferSize is the size of the buffer between a writer and its file.
const BufferSize = 256 << 10

// Temp is a temporary file with one writer. Its end depends on its origin:
//
//   - A file of [Session.Create] is beside its target. Commit renames it, so the target is either
//     complete or unchanged.
//   - The content of an object, also from Create, is in the folder of temporary files and counts
//     against the quota. Commit uploads it.
//   - A copy of [Session.Copy] is there, too. Readers open it through a [Stamp]. Discard removes
//     it, or else the end of the process.
//
// The first failure is final: a later Commit returns it and removes the file, since after a failed
// write or fsync the content on disk is unknown. Discard removes the file after any failure.
//
// A file that replaces another keeps its mode, and its owner if permitted.
type Temp struct {
	// Target is the path or URL that Commit creates. For a copy it is the file that was copied.
	Target string

	file     *os.File
	end      tempOutcome
	folder   string         // folder, for messages, of a file that is not renamed
	stores   *object.Stores // of an upload
	quota    *Quota         // nil if it counts against none
	counted  int64          // bytes reserved in the quota
	err      error          // the first failure
	digest   hash.Hash      // of sequential writes; nil if not requested or after a seek
	finished bool
	closed   bool
}

// tempOutcome is the fate of a temporary file.
type tempOutcome uint8

const (
	renamed tempOutcome = iota
	uploaded
	removed
)

// Create starts a file or an object that Commit will name path. It returns the errors of [Target].
func (s *Session) Create(path string) (*Temp, error) {
	path, err := Plain(path)
	if err != nil {
		return nil, err
	}
	if IsRemote(path) {
		return s.createObject(path)
	}
	target, old, err := Target(path)
	if err != nil {
		return nil, fault.Output(path, "%w", err)
	}
	file, err := createLocked(filepath.Dir(target), filepath.Base(target), 0o666)
	if err != nil {
		return nil, fault.Output(path, "no file can be made in its folder: %w", WithoutPath(err)).
			WithRemedy("make the folder, or name another")
	}
	if old != nil {
		keepOwner(file, old)
	}
	return &Temp{file: file, Target: target}, nil
}

// createObject starts an upload.
func (s *Session) createObject(url string) (*Temp, error) {
	if err := s.CanPut(s.Context(), url); err != nil {
		return nil, fault.Output(url, "%w", err)
	}
	t, err := s.createUnlinked(url, uploaded)
	if err != nil {
		return nil, fault.Output(url, "%w", err)
	}
	t.stores = s.stores()
	return t, nil
}

// createUnlinked creates an unlinked file in the folder of temporary files, which vanishes with the
// process. On Windows, which cannot unlink open files, Discard removes it.
func (s *Session) createUnlinked(target string, end tempOutcome) (*Temp, error) {
	f, err := createLocked(s.spoolDir(), "spool", 0o600)
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return &Temp{Target: target, file: f, end: end, folder: s.spoolDir(), quota: s.config().Quota}, nil
}

// spoolDir returns the folder of temporary files.
func (s *Session) spoolDir() string { return cmp.Or(s.config().SpoolDir, os.TempDir()) }

// Fail records the first error, with the target in its message, and returns it.
func (t *Temp) Fail(err error) error {
	if t.err != nil {
		return t.err
	}
	if err = WithoutPath(err); t.end == renamed {
		t.err = fault.Output(t.Target, "%w", err)
		return t.err
	}
	failed := &SpoolError{Name: t.Target, Dir: t.folder, Err: err}
	if info, err := t.file.Stat(); err == nil {
		failed.Written = info.Size()
	}
	if t.err = failed; t.end == uploaded {
		t.err = fmt.Errorf("cannot write %w", failed)
	}
	return t.err
}

// Cause returns the first failure of the file, if any, in place of a non-nil err: libraries that
// write the file wrap its errors.
func (t *Temp) Cause(err error) error {
	if err == nil || t.err == nil {
		return err
	}
	return t.err
}

// Write appends p. It fails without writing if p exceeds the quota.
func (t *Temp) Write(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	if err := t.quota.reserve(t.counted, int64(len(p))); err != nil {
		return 0, t.Fail(err)
	}
	t.counted += int64(len(p))
	n, err := t.file.Write(p)
	if t.digest != nil {
		t.digest.Write(p[:n])
	}
	if err != nil {
		return n, t.Fail(err)
	}
	return n, nil
}

// WriteAt overwrites bytes at an offset, such as a header that is known last. It does not count
// against the quota.
func (t *Temp) WriteAt(p []byte, offset int64) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	t.digest = nil
	n, err := t.file.WriteAt(p, offset)
	if err != nil {
		return n, t.Fail(err)
	}
	return n, nil
}

// Seek moves the position of the next Write.
func (t *Temp) Seek(offset int64, whence int) (int64, error) {
	t.digest = nil
	return t.file.Seek(offset, whence)
}

// Finish flushes the file to disk, so that little can fail in Commit. It does not upload an object;
// Commit does.
func (t *Temp) Finish() error {
	switch {
	case t.closed:
		return t.errClosed()
	case t.err != nil || t.finished:
		return t.err
	case t.end == renamed:
		if err := t.file.Sync(); err != nil {
			return t.Fail(err)
		}
	}
	t.finished = true
	return nil
}

// errClosed reports a call after Commit or Discard.
func (t *Temp) errClosed() error {
	return fault.Output(t.Target, "the file is closed already").WithRemedy("write it anew")
}

// Commit renames or uploads the file; it calls Finish if necessary. After an error the target is
// unchanged, with one exception: if syncing the directory fails the target is complete but may not
// survive a power failure.
func (t *Temp) Commit() error {
	if t.closed {
		return t.errClosed()
	}
	defer t.Abort() // a no-op once the file is closed
	if err := t.Finish(); err != nil {
		return err
	}
	if t.end == uploaded {
		return t.upload()
	}
	return t.rename()
}

// closeBeforeRename is true where an open file cannot be renamed. Elsewhere the file stays open, and so
// locked, until it is renamed.
const closeBeforeRename = runtime.GOOS == "windows"

// rename gives the file its final name.
func (t *Temp) rename() error {
	t.closed = true
	defer t.file.Close() // it was synced, so nothing can be lost
	if closeBeforeRename {
		t.file.Close()
	}
	if err := os.Rename(t.file.Name(), t.Target); err != nil {
		os.Remove(t.file.Name())
		return t.Fail(err)
	}
	if err := syncDir(filepath.Dir(t.Target)); err != nil {
		return t.Fail(err)
	}
	return nil
}

// upload uploads the content of the object and removes the file.
func (t *Temp) upload() error {
	size, err := t.file.Seek(0, io.SeekEnd)
	if err == nil {
		err = putObject(t.stores.Base(), t.stores, t.Target, t.file, size)
	}
	if left := t.Discard(); err == nil {
		err = left
	}
	if err != nil {
		t.err = fault.Output(t.Target, "%w", err)
	}
	return t.err
}

// Abort is [Temp.Discard] without its error.
func (t *Temp) Abort() { _ = t.Discard() }

// Discard closes and removes the file, and releases its bytes from the quota. It is a no-op after
// Commit or Discard.
func (t *Temp) Discard() error {
	if t.closed {
		return nil
	}
	t.closed = true
	t.quota.release(t.counted)
	err := t.file.Close()
	if left := os.Remove(t.file.Name()); !errors.Is(left, os.ErrNotExist) { // an unlinked file has no name
		err = errors.Join(err, WithoutPath(left))
	}
	return err
}

// reader returns the open file for a reader, whose Close leaves it open.
func (t *Temp) reader() File { return sharedReader{t.file} }

// sharedReader is a file that its readers do not close.
type sharedReader struct{ io.ReaderAt }

func (sharedReader) Close() error { return nil }

// syncDir makes a rename in dir durable. Windows and some network file systems do not support that
// and return EINVAL.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
