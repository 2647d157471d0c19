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

// StateFolder stores the states of a [github.com/nystream/nystream/stream.Run] as files of a
// folder. Several processes may use it at once, on several machines if renaming a file in it is
// atomic.
type StateFolder struct{ dir string }

// States returns the store of states in a folder. Writing the first state creates the folder.
func States(dir string) *StateFolder { return &StateFolder{dir} }

// Dir returns the path of the folder.
func (s *StateFolder) Dir() string { return s.dir }

// Names returns the names of the files in the folder, except those being written.
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

// Write writes a file atomically: whatever happens, even a power failure, the file is the old one
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

// Remove removes a file, and temporary files that killed processes have left while writing it.
func (s *StateFolder) Remove(name string) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	entries, _ := os.ReadDir(s.dir) // temporary files remain if the folder cannot be listed
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+name+".") && strings.HasSuffix(e.Name(), ".tmp") {
			if failed := os.Remove(filepath.Join(s.dir, e.Name())); !errors.Is(failed, fs.ErrNotExist) {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// path returns the path of a state. Names may come from other machines, so names outside the folder
// are rejected.
func (s *StateFolder) path(name string) (string, error) {
	if !filepath.IsLocal(name) || filepath.Base(name) != name || name == "." {
		return "", fmt.Errorf("%q is no name of a state in %s", name, s.dir)
	}
	return filepath.Join(s.dir, name), nil
}
