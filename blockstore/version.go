package blockstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/remote"
)

// versioned sets the versions of a table: the version of an object as its store names it, and of
// a Parquet file or a store the digest of its end, which describes the content.
func versioned(ctx context.Context, t *column.TableInfo, path, format string) {
	if file.IsRemote(path) {
		if o, err := remote.Open(ctx, path); err == nil && o.Version() != "" {
			t.Versions = map[string]string{t.Path: o.Version()}
		}
		return
	}
	if end := fileEnd(path, format); end != nil {
		t.Versions = map[string]string{filepath.Base(path): fmt.Sprintf("%x", sha256.Sum256(end))}
	}
}

// fileEnd returns the footer of a file that was opened before, or nil if its format has none that
// tells of the content.
func fileEnd(path, format string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	tail := make([]byte, 64) // of a store: it has the digest of all that comes before
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size < int64(len(tail)) {
		return nil
	}
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil
	}
	if format == formats.Store {
		return tail
	}
	length := int64(binary.LittleEndian.Uint32(tail[56:])) + 8
	if format != formats.Parquet || length > size {
		return nil
	}
	tail = make([]byte, length)
	if _, err := f.ReadAt(tail, size-length); err != nil {
		return nil
	}
	return tail
}
