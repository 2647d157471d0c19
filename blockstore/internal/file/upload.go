package file

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/blockstore/object"
)

// createRemote starts an object: a temporary file without a name, where the system allows
// that.
func createRemote(spools Spools, path string) (*Atomic, error) {
	if err := CanPut(object.Context(), path); err != nil {
		return nil, fmt.Errorf("cannot write %w", err)
	}
	f, err := CreateTemp(spools.Dir, "spool", 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	os.Remove(f.Name()) // Windows refuses while the file is open: Abort tries again
	return &Atomic{File: f, Target: path, upload: true, share: share{room: spools.Room}}, nil
}

// send writes the object and removes what was collected.
func (f *Atomic) send() error {
	size, err := f.File.Seek(0, io.SeekEnd)
	if err == nil {
		err = putObject(object.Context(), f.Target, f.File, size)
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
