package blockstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// StateFolder keeps the states of a [github.com/nystream/nystream/stream.Run] in a
// folder, one to a file. Several processes may use it at once, on several machines if
// renaming a file in it is atomic.
type StateFolder struct{ dir string }

// States returns the states in a folder. It need not exist: the first state makes it.
func States(dir string) *StateFolder { return &StateFolder{dir} }

// Dir returns the path of the folder.
func (s *StateFolder) Dir() string { return s.dir }

// Names returns the names of the files in the folder, but for those that are being
// written.
func (s *StateFolder) Names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Open opens a file for reading.
func (s *StateFolder) Open(name string) (io.ReadCloser, error) {
	path, err := s.path(name)
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Write writes a file. Whatever happens, a power cut included, the file is the old one
// or the new one.
func (s *StateFolder) Write(name string, data []byte) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	return WriteFile(path, data)
}

// Remove removes a file, and what a process that was killed left of its writing.
func (s *StateFolder) Remove(name string) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	entries, _ := os.ReadDir(s.dir) // what is there may stay where it cannot be listed
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+name+".") && strings.HasSuffix(e.Name(), ".tmp") {
			if failed := os.Remove(filepath.Join(s.dir, e.Name())); !errors.Is(failed, fs.ErrNotExist) {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// path returns the path of a state. Names come from other machines: one that leaves the
// folder is refused.
func (s *StateFolder) path(name string) (string, error) {
	if !filepath.IsLocal(name) || filepath.Base(name) != name || name == "." {
		return "", fmt.Errorf("%q is no name of a state in %s", name, s.dir)
	}
	return filepath.Join(s.dir, name), nil
}
