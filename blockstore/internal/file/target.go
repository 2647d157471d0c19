package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

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
		return "", nil, WithoutPath(err)
	case old.IsDir():
		return "", nil, fault.New("it is a directory").Do("name a file in it")
	case old.Mode()&fs.ModeSymlink != 0:
		return "", nil, fault.New("it is a symbolic link to nothing").Do("make what it leads to, or name another file")
	case !old.Mode().IsRegular():
		return "", nil, fault.New("it is not a regular file").Do("name another")
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

// followed returns the file that a path names, through symbolic links if there are any.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// WithoutPath returns an error of the system without the names in it, which may be temporary
// ones.
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
