package file

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/blockstore/internal/remote"
	"github.com/nystream/nystream/blockstore/object"
)

// CreateUnnamed starts a file that only its maker knows, among spools. Messages call it by what it is for. There is no Commit, and
// Abort drops it.
func CreateUnnamed(spools Spools, name string) (*Atomic, error) {
	f, err := CreateTemp(spools.Dir, "spool", 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}
	os.Remove(f.Name()) // Windows refuses while the file is open: Abort tries again
	return &Atomic{File: f, Target: name, unnamed: true, share: share{room: spools.Room}}, nil
}

// createRemote starts an object: a temporary file without a name, where the system allows
// that.
func createRemote(spools Spools, path string) (*Atomic, error) {
	if err := remote.CanPut(object.Context(), path); err != nil {
		return nil, fmt.Errorf("cannot write %w", err)
	}
	f, err := CreateUnnamed(spools, path)
	if err != nil {
		return nil, err
	}
	f.upload, f.unnamed = true, false
	return f, nil
}

// send writes the object and removes what was collected.
func (f *Atomic) send() error {
	size, err := f.File.Seek(0, io.SeekEnd)
	if err == nil {
		err = remote.Put(object.Context(), f.Target, f.File, size)
	}
	f.Closed = true
	defer f.share.giveBack()
	err = errors.Join(err, f.File.Close())
	os.Remove(f.File.Name())
	if err != nil {
		f.err = fmt.Errorf("cannot write %w", err)
	}
	return f.err
}
