package main

import (
	"context"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// input is an opened source whose passes are counted and whose errors are
// marked as faults of the data.
type input struct {
	*stream.Counted
	files    *blockstore.Source // what Counted reads, perhaps through wrappers
	leftOut  []blockstore.LeftOutColumn
	position columnPositions
	formats  []string // of the files, each once
	base     blockstore.IndexBase
	noted    func()      // of how the files ended, when they were read
	run      *stream.Run // keeps rows that were fetched; nil for none
}

// Open returns a reader of the rows from the given one on.
func (in *input) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := in.Counted.Open(ctx, first)
	if err != nil {
		return nil, fromData(err)
	}
	return inputReader{r}, nil
}

// Gather fetches rows by number.
func (in *input) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	return fromData(in.run.Gather(ctx, in.Counted, rows, dst))
}

// inputReader marks the errors of a pass.
type inputReader struct{ stream.Reader }

func (r inputReader) Read(dst *stream.Batch) (int, error) {
	n, err := r.Reader.Read(dst)
	return n, fromData(err)
}

// close notes how the files ended. It is safe on nil.
func (in *input) close() {
	if in != nil {
		in.noted()
	}
}

// checkRows refuses a source without rows or columns.
func (in *input) checkRows() error {
	info := in.Info()
	switch {
	case info.Rows == 0:
		return stream.NewDataError(info.Name, "it has no rows")
	case len(info.Columns)+categoriesOf(info) == 0:
		return stream.NewDataError(info.Name, "it has no numeric columns").Do("choose some with --columns")
	}
	return nil
}

// categoriesOf returns the number of columns of text that become numbers.
func categoriesOf(info stream.Info) (n int) {
	for _, f := range info.Kept {
		if f.Category {
			n++
		}
	}
	return n
}

// madeSource says what rows were read, of which so many were used.
func (in *input) madeSource(rows int64) madeSource {
	info := in.Info()
	return madeSource{Name: plainPath(info.Name), Formats: in.formats, Rows: rows, Columns: len(info.Columns)}
}
