package rows

import (
	"context"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
)

// Input is an opened source that counts its passes, and whose errors are data errors.
type Input struct {
	*passcount.Source
	Files    *blockstore.Source // the files read by Source, possibly through wrappers
	LeftOut  []blockstore.LeftOutColumn
	position ColumnPositions
	formats  []string // distinct formats of the files
	base     blockstore.IndexBase
	noteEnd  func()      // records how the files ended
	Run      *stream.Run // keeps gathered rows; nil for none
}

// Open returns a reader of the rows from number first on.
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

// inputReader turns the errors of a pass into data errors.
type inputReader struct{ stream.Reader }

func (r inputReader) Read(dst *stream.Batch) (int, error) {
	n, err := r.Reader.Read(dst)
	return n, app.FromData(err)
}

// Close records how the files ended. It may be called on nil.
func (in *Input) Close() {
	if in != nil {
		in.noteEnd()
	}
}

// checkRows refuses a source without rows or columns.
func (in *Input) checkRows() error {
	info := in.Info()
	switch {
	case info.Rows == 0:
		return stream.NewDataError(info.Name, "it has no rows")
	case len(info.Columns)+CategoriesOf(info) == 0:
		return stream.NewDataError(info.Name, "it has no numeric columns").WithRemedy("choose some with --columns")
	}
	return nil
}

// CategoriesOf returns the number of categorical columns.
func CategoriesOf(info stream.Info) (n int) {
	for _, f := range info.Kept {
		if f.Category {
			n++
		}
	}
	return n
}

// ProvenanceSource returns a record of the source, of which the given number of rows were used.
func (in *Input) ProvenanceSource(rows int64) app.ProvenanceSource {
	info := in.Info()
	return app.ProvenanceSource{
		Name: app.PlainPath(info.Name), Formats: in.formats, Rows: rows, Columns: len(info.Columns),
	}
}
