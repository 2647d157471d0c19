// Package file is about files, whatever they hold: how arguments become paths
// ([Expand]), how a file is known again when it is opened a second time
// ([Stamp]), how reading stops with a context, and how a file appears under its
// name complete or not at all ([Atomic]).
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// BufferSize is the size of the buffer between a writer and its file.
const BufferSize = 256 << 10

// Atomic is a file that appears under its name complete or not at all. It
// is written beside the target under a temporary name; Commit makes it durable
// and renames it. The first failure is final: a later Commit reports it and
// removes the temporary file, because after a failed write or fsync nobody
// knows what is on the disk.
type Atomic struct {
	File   *os.File
	Target string
	upload bool  // the target is an object
	err    error // the first failure
	Closed bool
}

// Create starts a file that will be called path. It refuses anything at
// path that is not a regular file: renaming over a directory fails late, and
// renaming over a device destroys it. A symbolic link is followed.
//
// An object is collected in the folder for temporary files, and sent by Commit.
func Create(path string) (*Atomic, error) {
	path, err := Plain(path)
	if err != nil {
		return nil, err
	}
	if IsRemote(path) {
		return createRemote(path)
	}
	target := followed(path)
	switch info, err := os.Lstat(target); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("cannot write %s: it is a directory; name a file in it", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("cannot write %s: it is not a regular file", path)
	}
	file, err := createTemp(target)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return &Atomic{File: file, Target: target}, nil
}

// createTemp creates a new file in the directory of target.
func createTemp(target string) (file *os.File, err error) {
	_, err = freeName(target, func(temp string) (err error) {
		file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	return file, err
}

// freeName makes something, which take does, under a temporary name in the directory
// of target that nothing has, and returns the name.
func freeName(target string, take func(temp string) error) (string, error) {
	dir, base := filepath.Split(target)
	for range 1000 {
		temp := filepath.Join(dir, "."+base+"."+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
		if err := take(temp); !errors.Is(err, fs.ErrExist) {
			return temp, err
		}
	}
	return "", errors.New("no free name for a temporary file")
}

// Fail keeps the first error and names the target in it.
func (f *Atomic) Fail(err error) error {
	var at *fs.PathError
	var between *os.LinkError
	switch { // the temporary name would only confuse
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &between):
		err = between.Err
	}
	if f.err == nil {
		f.err = fmt.Errorf("cannot write %s: %w", f.Target, err)
	}
	return f.err
}

// Write appends p.
func (f *Atomic) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.File.Write(p)
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
	n, err := f.File.WriteAt(p, offset)
	if err != nil {
		return n, f.Fail(err)
	}
	return n, nil
}

// Seek moves the place of the next Write.
func (f *Atomic) Seek(offset int64, whence int) (int64, error) {
	return f.File.Seek(offset, whence)
}

// Commit puts the file on the disk under its final name. After an error there
// is no new file, unless the error is that of the last step, the sync of the
// directory: then the file is complete but may not survive a power cut.
func (f *Atomic) Commit() error {
	if f.Closed {
		return fmt.Errorf("cannot write %s: the file is closed already", f.Target)
	}
	defer f.Abort() // does nothing once the file is closed
	if f.err != nil {
		return f.err
	}
	if f.upload {
		return f.send()
	}
	if err := f.File.Sync(); err != nil {
		return f.Fail(err)
	}
	f.Closed = true
	err := f.File.Close()
	if err == nil {
		err = os.Rename(f.File.Name(), f.Target)
	}
	if err != nil {
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
