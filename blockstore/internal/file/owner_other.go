//go:build !unix

package file

import (
	"io/fs"
	"os"
)

// noFollow is nothing here.
const noFollow = 0

// keepOwner does nothing: a new file has what its folder passes on.
func keepOwner(*os.File, fs.FileInfo) {}

// cannotRename returns nil: nothing is known.
func cannotRename(string, fs.FileInfo, fs.FileInfo) error { return nil }
