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

// fileOptions is how one file is read: what the options say of it, checked.
type fileOptions struct {
	files    *file.Session
	format   string
	array    string
	encoding charset.Encoding // of text
	strict   bool             // an encoding of what is no text is an error
	features int              // of libsvm files, at least
	base     text.IndexBase   // of libsvm files
	csv      text.CSVOptions
	live     bool        // a pipe is read as it comes
	learn    bool        // of a text, all lines tell what its columns are
	words    []string    // columns of a live pipe that hold text
	scan     *sync.Mutex // held while all of an object is read
}

// ofFormat says what format a table has that was opened.
func ofFormat(t column.Table, err error, format string) (column.Table, error) {
	if err == nil {
		t.About().Format = format
	}
	return t, err
}

// openText opens a file of one of the formats of text.
func openText(ctx context.Context, in text.Input, r fileOptions) (column.Table, error) {
	switch r.format {
	case formats.Libsvm:
		return text.Libsvm(ctx, in, r.csv.Threads, r.features, r.base)
	case formats.JSONLines:
		return text.JSONLines(ctx, in, r.csv.Threads)
	case formats.CSV, "": // CSV says what is wrong with a file whose format nothing tells
		r.csv.Delimiter = r.csv.DelimiterIn(in.Path)
		return text.CSV(ctx, in, r.csv)
	}
	return nil, fault.File(in.Path, "there is no reader of the format %s", r.format)
}
