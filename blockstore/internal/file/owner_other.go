//go:build !unix

package file

import (
	"io/fs"
	"os"
)

// noFollow has no effect on this system.
const noFollow = 0

// keepOwner is a no-op: a new file inherits from its folder.
func keepOwner(*os.File, fs.FileInfo) {}

// cannotRename returns nil: unknown on this system.
func cannotRename(string, fs.FileInfo, fs.FileInfo) error { return nil }
