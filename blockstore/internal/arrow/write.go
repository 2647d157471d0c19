package arrow

import (
	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// A record batch that we write has at most batchRows rows and about
// batchBytes of numbers: it is in memory until it is complete.
const (
	batchRows  = 64 << 10
	batchBytes = 4 << 20
)

// WriterBytes is about twice what was measured while writing 5 to 1000
// columns (12.7 MiB): a batch, its growing buffers and what the collector has
// not yet taken away.
const WriterBytes = 24 << 20

// encoder writes the IPC file format, numeric columns as float64 that is
// never null, kept columns nullable.
type encoder struct {
	file      *file.Atomic
	w         *ipc.FileWriter
	written   bool // a batch is in the file
	builder   *array.RecordBuilder
	schema    stream.Info
	batchRows int
	inBatch   int
}

// NewEncoder writes an Arrow IPC file to f.
func NewEncoder(f *file.Atomic, s stream.Info) (column.Encoder, error) {
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, column.ErrNoColumns
	}
	fields := make([]arrow.Field, 0, len(s.Columns)+len(s.Kept))
	for _, name := range s.Columns {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64})
	}
	for _, k := range s.Kept {
		fields = append(fields, arrow.Field{Name: k.Name, Type: keptType(k.Kind), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	return &encoder{
		file: f, w: w, schema: s,
		builder:   array.NewRecordBuilder(memory.DefaultAllocator, schema),
		batchRows: max(1, min(batchRows, batchBytes/(8*len(fields)))),
	}, nil
}

// keptType returns the type of a kept column.
func keptType(kind stream.Kind) arrow.DataType {
	switch kind {
	case stream.Int64:
		return arrow.PrimitiveTypes.Int64
	case stream.String:
		return arrow.BinaryTypes.String
	}
	return arrow.PrimitiveTypes.Float64
}

func (e *encoder) Encode(b *stream.Batch, n int) error {
	for done := 0; done < n; {
		rows := min(n-done, e.batchRows-e.inBatch)
		e.add(b, done, rows)
		done += rows
		if e.inBatch += rows; e.inBatch == e.batchRows {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add puts rows of b from row at on into the batch.
func (e *encoder) add(b *stream.Batch, at, rows int) {
	for k := range e.schema.Columns {
		column := e.builder.Field(k).(*array.Float64Builder)
		column.Reserve(rows)
		for i := at; i < at+rows; i++ {
			column.UnsafeAppend(b.X.Data[i*b.X.Stride+k])
		}
	}
	for k := range e.schema.Kept {
		column := e.builder.Field(len(e.schema.Columns) + k)
		for i := at; i < at+rows; i++ {
			addKept(column, &b.Kept[k], i)
		}
	}
}

// addKept appends value i of c.
func addKept(to array.Builder, c *stream.Column, i int) {
	if c.Null(i) {
		to.AppendNull()
		return
	}
	switch to := to.(type) {
	case *array.Float64Builder:
		to.Append(c.Floats[i])
	case *array.Int64Builder:
		to.Append(c.Ints[i])
	case *array.StringBuilder:
		to.Append(c.Strings[i])
	}
}

// flush writes the batch.
func (e *encoder) flush() error {
	if e.inBatch == 0 {
		return nil
	}
	e.inBatch, e.written = 0, true
	record := e.builder.NewRecord()
	defer record.Release()
	return e.w.Write(record)
}

func (e *encoder) Finish() error {
	if err := e.flush(); err != nil {
		return err
	}
	defer e.builder.Release()
	if !e.written { // the library would write the schema behind the mark
		record := e.builder.NewRecord()
		defer record.Release()
		if err := e.w.Write(record); err != nil {
			return err
		}
	}
	// The format has an end-of-stream mark before the footer, which the library
	// leaves out: with it the file also reads as a stream.
	if _, err := e.file.Write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}); err != nil {
		return err
	}
	return e.w.Close()
}
