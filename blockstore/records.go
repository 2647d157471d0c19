package blockstore

import (
	"context"
	"io"
	"iter"

	arrowlib "github.com/apache/arrow/go/v16/arrow"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/formats"
)

// FromRecords returns the rows of Arrow records, once, as they arrive: Info().Live and OnePass are
// set, and Rows is -1. name identifies the source in messages. It uses only the fields of o about
// columns: Columns, Label, Keep, Categories, Words, NoNumbers and Inexact. A record that does not
// match the schema is an error, and so is an error of the sequence, after the rows before it.
//
// Records are copied one at a time and not kept: the sequence may release a record when the next is
// requested. It runs on a separate goroutine, which reads a record or two ahead, and stops when the
// reader is closed or ctx is done. FromRecords waits for the first record, and with list columns
// for the first row, which determines their width.
func FromRecords(ctx context.Context, name string, schema *arrowlib.Schema, records iter.Seq2[arrowlib.Record, error], o Options) (*Source, error) {
	out, in := io.Pipe()
	ended := context.AfterFunc(ctx, func() { out.CloseWithError(context.Cause(ctx)) })
	go func() { in.CloseWithError(arrow.Encode(in, schema, records)) }()
	live := file.NewLive(out, func() error {
		ended()
		return out.Close()
	})
	t, err := arrow.OpenLive(ctx, name, live, o.Memory)
	if err == nil {
		err = column.CheckMemory(len(t.About().Columns), o.Memory)
	}
	var files *fileSet
	if err == nil {
		t.About().Format = formats.ArrowStream
		files, err = newFileSet([]string{name}, []column.Table{t}, o.IndexBase)
	}
	var src *Source
	if err == nil {
		src, err = files.choose(o)
	}
	if err != nil {
		live.Close()
		return nil, err
	}
	return src, nil
}
