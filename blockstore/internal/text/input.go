package text

import (
	"context"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// Input is an open file of text, or a copy that stands for one.
type Input struct {
	Path  string
	File  file.File
	Stamp file.Stamp
}

// openInput opens the file at path, and with it a table by open.
func openInput(ctx context.Context, path string, open func(in Input) (column.Table, error)) (column.Table, error) {
	f, stamp, err := file.OpenStamped(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return open(Input{path, f, stamp})
}
