package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/object"
)

// IsRemote reports whether a path is the URL of an object, such as s3://bucket/key, and not the
// path or file:// URL of a file.
func IsRemote(path string) bool { return file.IsRemote(path) && object.Scheme(path) != "file" }
