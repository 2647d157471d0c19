package blockstore

import (
	"context"
	"os"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/object"
)

// IsRemote reports whether a path is the URL of an object, such as s3://bucket/key, and not
// the path of a file. A file:// URL is one of a file.
func IsRemote(path string) bool { return file.IsRemote(path) && object.Scheme(path) != "file" }

// CanWrite returns why an object cannot be written, as far as its store knows before.
func CanWrite(ctx context.Context, url string) error { return file.CanPut(ctx, url) }

// FileSize returns the size of a file or an object in bytes. It is false for folders,
// globs and pipes, and for what is not there.
func FileSize(ctx context.Context, path string) (bytes int64, ok bool) {
	if IsRemote(path) {
		o, err := file.OpenObject(ctx, path)
		if err != nil {
			return 0, false
		}
		return o.Size, true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}
