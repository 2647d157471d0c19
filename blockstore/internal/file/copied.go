package file

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Copy copies what in gives to a file without a name, which goes when the process ends, and
// returns the stamp of that file. It stands for the file at path. The error is a SpoolError if writing failed,
// else that of reading, as a fault of what messages call name.
func Copy(ctx context.Context, spools Spools, path, name string, in io.Reader) (s Stamp, err error) {
	f, err := CreateSpool(spools, path)
	if err != nil {
		return s, err
	}
	f.Unname()
	size, err := io.Copy(f, NewReader(ctx, in))
	var info fs.FileInfo
	if err == nil {
		info, err = f.file.Stat()
	}
	if err != nil {
		return s, errors.Join(f.Settle(ctx, fault.File(name, "%w", err)), f.Discard())
	}
	return Stamp{path: path, Size: size, info: info, copied: f}, nil
}

// Discard closes and removes a copy, from which nothing is read any more.
func (s Stamp) Discard() error { return s.copied.Discard() }

// copied is the open file of a copy, which stays open.
type copied struct{ io.ReaderAt }

func (copied) Close() error { return nil }
