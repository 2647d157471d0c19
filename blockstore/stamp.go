package blockstore

import (
	"os"
	"time"
)

// stamp remembers a file, so that one that was changed is not taken for it.
type stamp struct {
	path    string
	size    int64
	changed time.Time
}

// openStamped opens the regular file at path and describes it.
func openStamped(path string) (*os.File, stamp, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, stamp{}, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = badFile(path, "not a regular file; write what it holds to one first")
	}
	if err != nil {
		file.Close()
		return nil, stamp{}, err
	}
	return file, stamp{path, info.Size(), info.ModTime()}, nil
}

// open opens the file again, unless its size or its time of change differs.
func (s stamp) open() (*os.File, error) {
	file, now, err := openStamped(s.path)
	if err == nil && (now.size != s.size || !now.changed.Equal(s.changed)) {
		file.Close()
		return nil, badFile(s.path, "the file was changed after it was opened; start again")
	}
	return file, err
}
