package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nystream/nystream/blockstore/internal/remote"
	"github.com/nystream/nystream/blockstore/object"
)

// Previous is what a path named before it was written to. It is kept under a second,
// temporary name, so that several files can be replaced together: when one of them
// fails, Restore undoes the others.
type Previous struct {
	target string
	kept   string // the second name; "" if there is none
	none   bool   // there was no file
	remote bool   // it is an object, of which nothing is kept
}

// KeepPrevious gives the file at path a second name. Where the file system has no
// hard links, and of objects, nothing is kept.
func KeepPrevious(path string) *Previous {
	path, err := Plain(path)
	if err == nil && IsRemote(path) {
		return &Previous{target: path, remote: true, none: !remote.Exists(object.Context(), path)}
	}
	p := &Previous{target: followed(path)}
	if _, err := os.Lstat(p.target); errors.Is(err, fs.ErrNotExist) {
		p.none = true
		return p
	}
	name, err := freeName(p.target, func(temp string) error { return os.Link(p.target, temp) })
	if err == nil {
		p.kept = name
	}
	return p
}

// Restore makes the path name what it named before, or nothing if it named nothing. A
// file that could not be kept stays as it is: new, and complete.
func (p *Previous) Restore() error {
	switch {
	case p.none && p.remote:
		return remote.Remove(object.Context(), p.target)
	case p.none:
		if err := os.Remove(p.target); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	case p.kept != "":
		err := os.Rename(p.kept, p.target)
		p.Forget() // of a file that was not replaced the second name is left
		return err
	}
	return nil
}

// Forget takes the second name away.
func (p *Previous) Forget() {
	if p.kept != "" {
		os.Remove(p.kept)
		p.kept = ""
	}
}

// followed returns the file that a path names, through symbolic links if there are any.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
