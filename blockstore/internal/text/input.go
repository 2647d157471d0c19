package text

import "github.com/nystream/nystream/blockstore/internal/file"

// Input is an open file of text, or a copy that stands for one.
type Input struct {
	Path  string
	File  file.File
	Stamp file.Stamp
}
