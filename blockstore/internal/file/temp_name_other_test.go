//go:build !unix

package file

import "io/fs"

// ownedBy reports false: owners are not kept.
func ownedBy(fs.FileInfo, uint32) bool { return false }
