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

// FromRecords returns the rows of Arrow records, once, as they come: Info().Live and OnePass are set, and Rows is -1.
// Messages call the source name. Of o it heeds what is about columns: Columns, Label, Keep, Categories, Words, NoNumbers
// and Inexact. A record that is not of the schema is an error, as is one of the sequence, which ends the rows before it.
//
// Records are copied one at a time, and none is kept: the sequence may release a record when it is asked for the next.
// It runs on a goroutine of its own, which reads a record or two ahead, and stops when the reader is closed or
// ctx is done. FromRecords waits for the first record; with columns of lists it waits for the first row, which has
// their length.
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
