package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Copy copies what in gives to a file without a name in the system's folder for temporary
// files, which goes when the process ends, and returns the stamp of that file. It stands for
// the file at path.
func Copy(ctx context.Context, path string, in io.Reader) (s Stamp, err error) {
	f, err := os.CreateTemp("", "nystream-copy-*")
	if err != nil {
		return s, fmt.Errorf("cannot copy %s: %w", path, err)
	}
	os.Remove(f.Name()) // Windows refuses while the file is open: it stays in the folder for temporary files
	size, err := io.Copy(f, NewReader(ctx, in))
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if err != nil {
		f.Close()
		return s, fmt.Errorf("copying %s to %s: %w", path, f.Name(), err)
	}
	return Stamp{path: path, Size: size, info: info, copied: f}, nil
}

// Discard closes and removes a copy, from which nothing is read any more.
func (s Stamp) Discard() error {
	err := s.copied.Close()
	if left := os.Remove(s.copied.Name()); !errors.Is(left, os.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return err
}

// copied is the open file of a copy, which stays open.
type copied struct{ io.ReaderAt }

func (copied) Close() error { return nil }
