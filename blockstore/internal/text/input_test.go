package text

import (
	"context"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// openInput opens the file at path, and with it a table by open.
func openInput(ctx context.Context, path string, open func(in Input) (column.Table, error)) (column.Table, error) {
	f, stamp, err := new(file.Session).Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return open(Input{path, f, stamp})
}

// openCSV, openLibsvm and openJSON open files of one format.
func openCSV(ctx context.Context, path string, o CSVOptions) (column.Table, error) {
	return openInput(ctx, path, func(in Input) (column.Table, error) { return CSV(ctx, in, o) })
}

func openLibsvm(ctx context.Context, path string, threads int) (column.Table, error) {
	return openInput(ctx, path, func(in Input) (column.Table, error) { return Libsvm(ctx, in, threads, 0, IndexBaseAuto) })
}

func openJSON(ctx context.Context, _ *file.Session, path string) (column.Table, error) {
	return openInput(ctx, path, func(in Input) (column.Table, error) { return JSONLines(ctx, in, 2) })
}
