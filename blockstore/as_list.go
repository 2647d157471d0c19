package blockstore

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// asList returns an encoder that writes the numbers of a row as one list column if s requests that,
// else start.
func (s *Schema) asList(name string, start column.StartEncoder) (column.StartEncoder, error) {
	switch {
	case s.AsList == "":
		return start, nil
	case s.Format == formats.NPY || s.Format == formats.Libsvm:
		return nil, fault.Output(name, "a file of the format %s has no columns of lists", s.Format).WithRemedy("write .parquet or .arrow")
	case slices.ContainsFunc(s.Kept, func(f stream.Field) bool { return f.Name == s.AsList }):
		return nil, fault.Output(name, "two columns are called %q", s.AsList).WithRemedy("rename one")
	case len(s.Columns) == 0:
		return nil, column.ErrNoColumns
	}
	list := logical.ListOf(logical.Float64)
	list.Size = int32(len(s.Columns))
	return func(out io.Writer, info stream.Info) (column.Encoder, error) {
		info.Columns, info.Nameless = nil, false
		info.Kept = append([]stream.Field{stream.FieldOf(s.AsList, list)}, info.Kept...)
		e, err := start(out, info)
		return &listEncoder{Encoder: e, kept: info.NewKept()}, err
	}, nil
}

// listEncoder passes the numbers of rows to an encoder as its first kept column, of lists.
type listEncoder struct {
	column.Encoder
	kept []stream.Column
	row  []byte
}

// Encode implements column.Encoder.
func (e *listEncoder) Encode(b *stream.Batch, n int) error {
	list := &e.kept[0]
	list.Reset()
	for i := range n {
		row := matrix.Row(b.X, i)
		e.row = logical.AppendValidity(logical.AppendCount(e.row[:0], len(row)), 0, nil)
		for _, v := range row {
			e.row = binary.LittleEndian.AppendUint64(e.row, math.Float64bits(v))
		}
		list.Strings = append(list.Strings, string(e.row))
	}
	copy(e.kept[1:], b.Kept)
	return e.Encoder.Encode(&stream.Batch{X: matrix.New(n, 0), Kept: e.kept}, n)
}

// Describe adds metadata to the file if its format supports it.
func (e *listEncoder) Describe(about map[string]string) error {
	return column.Describe(e.Encoder, about)
}

// Flush implements column.Flusher if the wrapped encoder does.
func (e *listEncoder) Flush() error {
	if f, ok := e.Encoder.(column.Flusher); ok {
		return f.Flush()
	}
	return nil
}
