package file

import (
	"os"
	"time"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Stamp remembers a file, so that one that was changed is not taken for it.
type Stamp struct {
	path    string
	Size    int64
	changed time.Time
}

// OpenStamped opens the regular file at path and describes it.
func OpenStamped(path string) (*os.File, Stamp, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, Stamp{}, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault.File(path, "not a regular file; write what it holds to one first")
	}
	if err != nil {
		file.Close()
		return nil, Stamp{}, err
	}
	return file, Stamp{path, info.Size(), info.ModTime()}, nil
}

// Open opens the file again, unless its size or its time of change differs.
func (s Stamp) Open() (*os.File, error) {
	file, now, err := OpenStamped(s.path)
	if err == nil && (now.Size != s.Size || !now.changed.Equal(s.changed)) {
		file.Close()
		return nil, fault.File(s.path, "the file was changed after it was opened; start again")
	}
	return file, err
}
