package blockstore

import (
	"fmt"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/nystream/nystream/stream"
)

// A record batch that we write has at most arrowBatchRows rows and about
// arrowBatchBytes of numbers: it is in memory until it is complete.
const (
	arrowBatchRows  = 64 << 10
	arrowBatchBytes = 4 << 20
)

// arrowWriter writes the IPC file format, numeric columns as float64 that is
// never null, kept columns nullable.
type arrowWriter struct {
	file      *atomicFile
	w         *ipc.FileWriter
	builder   *array.RecordBuilder
	schema    Schema
	batchRows int
	inBatch   int
	count     int64
}

// newArrowWriter writes an Arrow IPC file to f.
func newArrowWriter(f *atomicFile, s Schema) (Writer, error) {
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, fmt.Errorf("cannot write %s: there are no columns", f.target)
	}
	fields := make([]arrow.Field, 0, len(s.Columns)+len(s.Kept))
	for _, name := range s.Columns {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64})
	}
	for _, k := range s.Kept {
		fields = append(fields, arrow.Field{Name: k.Name, Type: arrowKept(k.Kind), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	return &arrowWriter{
		file: f, w: w, schema: s,
		builder:   array.NewRecordBuilder(memory.DefaultAllocator, schema),
		batchRows: max(1, min(arrowBatchRows, arrowBatchBytes/(8*len(fields)))),
	}, nil
}

// arrowKept is the type of a kept column.
func arrowKept(kind stream.Kind) arrow.DataType {
	switch kind {
	case stream.Int64:
		return arrow.PrimitiveTypes.Int64
	case stream.String:
		return arrow.BinaryTypes.String
	}
	return arrow.PrimitiveTypes.Float64
}

// Write implements Writer.
func (w *arrowWriter) Write(b *stream.Batch, n int) error {
	mustWrite(w.schema, b, n)
	w.count += int64(n)
	for done := 0; done < n; {
		rows := min(n-done, w.batchRows-w.inBatch)
		w.add(b, done, rows)
		done += rows
		if w.inBatch += rows; w.inBatch == w.batchRows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add puts rows of b from row at on into the batch.
func (w *arrowWriter) add(b *stream.Batch, at, rows int) {
	for k := range w.schema.Columns {
		column := w.builder.Field(k).(*array.Float64Builder)
		column.Reserve(rows)
		for i := at; i < at+rows; i++ {
			column.UnsafeAppend(b.X.Data[i*b.X.Stride+k])
		}
	}
	for k := range w.schema.Kept {
		column := w.builder.Field(len(w.schema.Columns) + k)
		for i := at; i < at+rows; i++ {
			addKept(column, &b.Kept[k], i)
		}
	}
}

// addKept appends value i of c.
func addKept(to array.Builder, c *stream.Column, i int) {
	if !valid(c, i) {
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
func (w *arrowWriter) flush() error {
	if w.inBatch == 0 {
		return nil
	}
	w.inBatch = 0
	record := w.builder.NewRecord()
	defer record.Release()
	return w.w.Write(record)
}

// Commit implements Writer.
func (w *arrowWriter) Commit() error {
	err := checkCount(w.file.target, w.schema, w.count)
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = w.w.Close()
	}
	if err != nil {
		w.Abort()
		return err
	}
	w.builder.Release()
	return w.file.Commit()
}

// Abort implements Writer.
func (w *arrowWriter) Abort() { w.file.Abort() }
