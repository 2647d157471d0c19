package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Target resolves symbolic links in path and returns the target with the state of an existing file,
// or nil. It returns an error if no file can be created there: renaming over a directory fails
// late, and renaming over a device destroys it.
func Target(path string) (target string, old fs.FileInfo, err error) {
	target = resolved(path)
	old, err = os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, nil, nil
	case err != nil:
		return "", nil, WithoutPath(err)
	case old.IsDir():
		return "", nil, fault.New("it is a directory").WithRemedy("name a file in it")
	case old.Mode()&fs.ModeSymlink != 0:
		return "", nil, fault.New("it is a symbolic link to nothing").
			WithRemedy("make what it leads to, or name another file")
	case !old.Mode().IsRegular():
		return "", nil, fault.New("it is not a regular file").WithRemedy("name another")
	}
	folder, err := os.Stat(filepath.Dir(target))
	if err != nil {
		return "", nil, WithoutPath(err)
	}
	if err := cannotRename(target, old, folder); err != nil {
		return "", nil, err
	}
	return target, old, nil
}

// resolved returns path with symbolic links resolved.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// WithoutPath removes the file names, possibly temporary ones, from a system error.
func WithoutPath(err error) error {
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
