package file

import (
	"io"
	"os"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/remote"
	"github.com/nystream/nystream/blockstore/object"
)

// createRemote starts an object: a temporary file without a name, where the system allows
// that.
func createRemote(spools Spools, path string) (*Atomic, error) {
	if err := remote.CanPut(object.Context(), path); err != nil {
		return nil, fault.Output(path, "%w", err)
	}
	f, err := CreateTemp(spools.Dir, "spool", 0o600)
	if err != nil {
		return nil, fault.Output(path, "%w", err)
	}
	os.Remove(f.Name()) // Windows refuses while the file is open: Abort tries again
	return &Atomic{File: f, Target: path, upload: true, share: share{room: spools.Room}}, nil
}

// send writes the object and removes what was collected.
func (f *Atomic) send() error {
	size, err := f.File.Seek(0, io.SeekEnd)
	if err == nil {
		err = remote.Put(object.Context(), f.Target, f.File, size)
	}
	f.Closed = true
	defer f.share.giveBack()
	if closed := f.File.Close(); err == nil {
		err = closed
	}
	os.Remove(f.File.Name())
	if err != nil {
		f.err = fault.Output(f.Target, "%w", err)
	}
	return f.err
}
