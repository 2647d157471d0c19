package rows

import (
	"context"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
)

// Input is an opened source whose passes are counted and whose errors are
// marked as faults of the data.
type Input struct {
	*passcount.Source
	Files    *blockstore.Source // what Source reads, perhaps through wrappers
	LeftOut  []blockstore.LeftOutColumn
	position ColumnPositions
	formats  []string // of the files, each once
	base     blockstore.IndexBase
	noted    func()      // of how the files ended, when they were read
	Run      *stream.Run // keeps rows that were fetched; nil for none
}

// Open returns a reader of the rows from the given one on.
func (in *Input) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := in.Source.Open(ctx, first)
	if err != nil {
		return nil, app.FromData(err)
	}
	return inputReader{r}, nil
}

// Gather fetches rows by number.
func (in *Input) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	return app.FromData(in.Run.Gather(ctx, in.Source, rows, dst))
}

// inputReader marks the errors of a pass.
type inputReader struct{ stream.Reader }

func (r inputReader) Read(dst *stream.Batch) (int, error) {
	n, err := r.Reader.Read(dst)
	return n, app.FromData(err)
}

// Close notes how the files ended. It is safe on nil.
func (in *Input) Close() {
	if in != nil {
		in.noted()
	}
}

// checkRows refuses a source without rows or columns.
func (in *Input) checkRows() error {
	info := in.Info()
	switch {
	case info.Rows == 0:
		return stream.NewDataError(info.Name, "it has no rows")
	case len(info.Columns)+CategoriesOf(info) == 0:
		return stream.NewDataError(info.Name, "it has no numeric columns").Do("choose some with --columns")
	}
	return nil
}

// CategoriesOf returns the number of columns of text that become numbers.
func CategoriesOf(info stream.Info) (n int) {
	for _, f := range info.Kept {
		if f.Category {
			n++
		}
	}
	return n
}

// MadeSource says what rows were read, of which so many were used.
func (in *Input) MadeSource(rows int64) app.MadeSource {
	info := in.Info()
	return app.MadeSource{Name: app.PlainPath(info.Name), Formats: in.formats, Rows: rows, Columns: len(info.Columns)}
}
