package blockstore

import (
	"context"
	"sync"

	"github.com/nystream/nystream/blockstore/internal/charset"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// fileOptions holds the validated options for one file.
type fileOptions struct {
	files    *file.Session
	format   string
	array    string
	encoding charset.Encoding // of text
	strict   bool             // an encoding given for a file that is not text is an error
	features int              // minimal number of features of libsvm files
	base     text.IndexBase   // of libsvm files
	csv      text.CSVOptions
	live     bool        // a pipe is read while it is written
	learn    bool        // all lines of a text determine the types of its columns
	words    []string    // text columns of a live pipe
	scan     *sync.Mutex // held while an object is read completely
}

// ofFormat sets the format of an opened table.
func ofFormat(t column.Table, err error, format string) (column.Table, error) {
	if err == nil {
		t.About().Format = format
	}
	return t, err
}

// openText opens a file in a text format.
func openText(ctx context.Context, in text.Input, r fileOptions) (column.Table, error) {
	switch r.format {
	case formats.Libsvm:
		return text.Libsvm(ctx, in, r.csv.Threads, r.features, r.base)
	case formats.JSONLines:
		return text.JSONLines(ctx, in, r.csv.Threads)
	case formats.CSV, "": // an unknown format is read as CSV, whose reader reports the problem
		r.csv.Delimiter = r.csv.DelimiterIn(in.Path)
		return text.CSV(ctx, in, r.csv)
	}
	return nil, fault.File(in.Path, "there is no reader of the format %s", r.format)
}
