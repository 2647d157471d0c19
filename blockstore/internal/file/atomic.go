// Package file is about files, whatever they hold: how arguments become paths
// ([Expand]), how a file is known again when it is opened a second time
// ([Stamp]), how reading stops with a context, and how a file appears under its
// name complete or not at all ([Atomic]).
package file

import (
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// BufferSize is the size of the buffer between a writer and its file.
const BufferSize = 256 << 10

// Atomic is a file that appears under its name complete or not at all. It
// is written beside the target under a temporary name; Finish makes it durable
// and Commit renames it. The first failure is final: a later Commit reports it and
// removes the temporary file, because after a failed write or fsync nobody
// knows what is on the disk.
//
// A file that is replaced keeps its mode, and its owner where that is permitted.
type Atomic struct {
	File     *os.File
	Target   string
	upload   bool      // the target is an object
	err      error     // the first failure
	digest   hash.Hash // of what was written, nil if nobody asked, or it was not written from front to back
	share    share     // of what is collected before it is sent
	finished bool
	Closed   bool
}

// Create starts a file that will be called path. It refuses what Target refuses.
//
// An object is collected in the folder for temporary files, and sent by Commit.
func Create(path string) (*Atomic, error) { return CreateIn(Spools{}, path) }

// CreateIn does what Create does, and collects an object among spools.
func CreateIn(spools Spools, path string) (*Atomic, error) {
	path, err := Plain(path)
	if err != nil {
		return nil, err
	}
	if IsRemote(path) {
		return createRemote(spools, path)
	}
	target, old, err := Target(path)
	if err != nil {
		return nil, fault.Output(path, "%w", err)
	}
	file, err := CreateTemp(filepath.Dir(target), filepath.Base(target), 0o666)
	if err != nil {
		return nil, fault.Output(path, "no file can be made in its folder: %w", withoutPath(err)).
			Do("make the folder, or name another")
	}
	if old != nil {
		keepOwner(file, old)
	}
	return &Atomic{File: file, Target: target}, nil
}

// Target returns the file that path names, through symbolic links if there are any, and what
// is there, nil for nothing. It returns an error where no file can be put: renaming over a
// directory fails late, and renaming over a device destroys it.
func Target(path string) (target string, old fs.FileInfo, err error) {
	target = followed(path)
	old, err = os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, nil, nil
	case err != nil:
		return "", nil, withoutPath(err)
	case old.IsDir():
		return "", nil, fault.New("it is a directory").Do("name a file in it")
	case old.Mode()&fs.ModeSymlink != 0:
		return "", nil, fault.New("it is a symbolic link to nothing").Do("make what it leads to, or name another file")
	case !old.Mode().IsRegular():
		return "", nil, fault.New("it is not a regular file").Do("name another")
	}
	folder, err := os.Stat(filepath.Dir(target))
	if err != nil {
		return "", nil, withoutPath(err)
	}
	if err := cannotRename(target, old, folder); err != nil {
		return "", nil, err
	}
	return target, old, nil
}

// followed returns the file that a path names, through symbolic links if there are any.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// withoutPath returns an error of the system without the names in it, which may be temporary
// ones.
func withoutPath(err error) error {
	var at *fs.PathError
	var between *os.LinkError
	switch {
	case errors.As(err, &at):
		return at.Err
	case errors.As(err, &between):
		return between.Err
	}
	return err
}

// Fail keeps the first error and names the target in it.
func (f *Atomic) Fail(err error) error {
	switch {
	case f.err != nil:
	case f.upload:
		failed := &SpoolError{Name: f.Target, Dir: filepath.Dir(f.File.Name()), Err: withoutPath(err)}
		if info, err := f.File.Stat(); err == nil {
			failed.Written = info.Size()
		}
		f.err = fmt.Errorf("cannot write %w", failed)
	default:
		f.err = fault.Output(f.Target, "%w", withoutPath(err))
	}
	return f.err
}

// Write appends p.
func (f *Atomic) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if err := f.share.take(int64(len(p))); err != nil {
		return 0, f.Fail(err)
	}
	n, err := f.File.Write(p)
	if f.digest != nil {
		f.digest.Write(p[:n])
	}
	if err != nil {
		return n, f.Fail(err)
	}
	return n, nil
}

// WriteAt writes p at an offset, for a header that is known last.
func (f *Atomic) WriteAt(p []byte, offset int64) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	f.digest = nil
	n, err := f.File.WriteAt(p, offset)
	if err != nil {
		return n, f.Fail(err)
	}
	return n, nil
}

// Seek moves the place of the next Write.
func (f *Atomic) Seek(offset int64, whence int) (int64, error) {
	f.digest = nil
	return f.File.Seek(offset, whence)
}

// Finish makes the file complete on the disk: what is left to Commit is to give it its name.
// An object is complete in the folder for temporary files, and Commit sends it.
func (f *Atomic) Finish() error {
	switch {
	case f.Closed:
		return fault.Output(f.Target, "the file is closed already").Do("write it anew")
	case f.err != nil || f.finished:
		return f.err
	case !f.upload:
		if err := f.File.Sync(); err != nil {
			return f.Fail(err)
		}
	}
	f.finished = true
	return nil
}

// closeFirst says that a file that is open cannot be renamed. Elsewhere it stays open, and so
// locked, until it has its name.
const closeFirst = runtime.GOOS == "windows"

// Commit puts the file under its final name, after Finish if that was not called. After an
// error there is no new file, unless the error is that of the last step, the sync of the
// directory: then the file is complete but may not survive a power cut.
func (f *Atomic) Commit() error {
	if f.Closed {
		return fault.Output(f.Target, "the file is closed already").Do("write it anew")
	}
	defer f.Abort() // does nothing once the file is closed
	if err := f.Finish(); err != nil {
		return err
	}
	if f.upload {
		return f.send()
	}
	f.Closed = true
	defer f.File.Close() // it was synced: nothing can be lost any more
	if closeFirst {
		f.File.Close()
	}
	if err := os.Rename(f.File.Name(), f.Target); err != nil {
		os.Remove(f.File.Name())
		return f.Fail(err)
	}
	if err := syncDir(filepath.Dir(f.Target)); err != nil {
		return f.Fail(err)
	}
	return nil
}

// Abort removes the temporary file. It does nothing after Commit.
func (f *Atomic) Abort() {
	if f.Closed {
		return
	}
	f.Closed = true
	f.share.giveBack()
	f.File.Close()
	os.Remove(f.File.Name())
}

// syncDir makes a rename in dir durable. Windows and some network file systems
// have no such operation and say EINVAL.
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
