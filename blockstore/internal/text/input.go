package text

import "github.com/nystream/nystream/blockstore/internal/file"

// Input is an open text file, or a copy of one.
type Input struct {
	Path  string
	File  file.File
	Stamp file.Stamp
}
