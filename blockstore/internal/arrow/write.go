package arrow

import (
	"io"
	"slices"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
)

// A record batch that we write has at most batchRows rows and about
// batchBytes of numbers: it is in memory until it is complete.
const (
	batchRows  = 64 << 10
	batchBytes = 4 << 20
)

// WriterBytes returns what the writer of so many columns holds: a batch, the one before, which the collector has
// not yet taken away, and the structures of each column.
func WriterBytes(columns int) int64 { return 3*batchBytes + 2<<10*int64(columns) }

// encoder writes record batches, numeric columns as float64 that is never null, kept
// columns nullable.
type encoder struct {
	out       io.Writer
	file      io.WriteSeeker // nil for a stream
	w         batchWriter
	written   bool // a batch is in the file
	builder   *array.RecordBuilder
	schema    stream.Info
	batchRows int
	inBatch   int
	nested    int   // bytes of nested values in the batch
	encoded   int64 // rows of the batches before
}

// batchWriter is what the library writes a file or a stream with.
type batchWriter interface {
	Write(arrow.Record) error
	Close() error
}

// NewEncoder writes an Arrow IPC file.
func NewEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	return newEncoder(out, out.(io.WriteSeeker), s)
}

// NewStreamEncoder writes an Arrow IPC stream.
func NewStreamEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	return newEncoder(out, nil, s)
}

func newEncoder(out io.Writer, f io.WriteSeeker, s stream.Info) (column.Encoder, error) {
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, column.ErrNoColumns
	}
	fields := make([]arrow.Field, 0, len(s.Columns)+len(s.Kept))
	for _, name := range s.Columns {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64})
	}
	e := &encoder{out: out, file: f, schema: s, batchRows: max(1, min(batchRows, batchBytes/(8*(len(s.Columns)+len(s.Kept)))))}
	for _, k := range s.Kept {
		fields = append(fields, keptField(k, f == nil || s.Rows >= 0 && s.Rows <= int64(e.batchRows)))
	}
	return e, e.begin(arrow.NewSchema(fields, nil))
}

// begin makes what writes batches of a schema. Nothing is written before the first batch.
func (e *encoder) begin(schema *arrow.Schema) (err error) {
	e.builder = array.NewRecordBuilder(memory.DefaultAllocator, schema)
	if e.file == nil {
		e.w = ipc.NewWriter(e.out, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
		return nil
	}
	e.w, err = ipc.NewFileWriter(e.file, ipc.WithSchema(schema))
	return err
}

// Describe adds to the metadata of the schema.
func (e *encoder) Describe(about map[string]string) error {
	metadata := arrow.MetadataFrom(about) // in the order of the names
	fields := e.builder.Schema().Fields()
	e.builder.Release()
	return e.begin(arrow.NewSchema(fields, &metadata))
}

func (e *encoder) Encode(b *stream.Batch, n int) error {
	for done := 0; done < n; {
		rows := e.fits(b, done, min(n-done, e.batchRows-e.inBatch))
		if err := e.add(b, done, rows); err != nil {
			return err
		}
		done += rows
		if e.inBatch += rows; e.inBatch == e.batchRows || e.nested >= batchBytes {
			if err := e.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits returns how many of n rows from row at on go into the batch, which is full once it has batchBytes of nested
// values.
func (e *encoder) fits(b *stream.Batch, at, n int) int {
	if !slices.ContainsFunc(b.Kept, func(c stream.Column) bool { return c.Type.IsNested() }) {
		return n
	}
	for i := range n {
		for k := range b.Kept {
			if c := &b.Kept[k]; c.Type.IsNested() {
				e.nested += len(c.Strings[at+i])
			}
		}
		if e.nested >= batchBytes {
			return i + 1
		}
	}
	return n
}

// add puts rows of b from row at on into the batch.
func (e *encoder) add(b *stream.Batch, at, rows int) error {
	for k := range e.schema.Columns {
		column := e.builder.Field(k).(*array.Float64Builder)
		if e.inBatch == 0 {
			column.Resize(max(rows, e.expected())) // once for the batch
		}
		column.Reserve(rows)
		for i := at; i < at+rows; i++ {
			column.UnsafeAppend(b.X.Data[i*b.X.Stride+k])
		}
	}
	for k := range e.schema.Kept {
		column := e.builder.Field(len(e.schema.Columns) + k)
		if e.inBatch == 0 && !b.Kept[k].Type.IsNested() {
			column.Resize(max(rows, e.expected())) // once for the batch
		}
		if err := addKept(column, &b.Kept[k], at, at+rows); err != nil {
			return fault.New("column %s: %w", quote.Name(e.schema.Kept[k].Name), err)
		}
	}
	return nil
}

// expected returns the rows of the batch that begins.
func (e *encoder) expected() int {
	if e.schema.Rows < 0 {
		return e.batchRows
	}
	return int(max(0, min(int64(e.batchRows), e.schema.Rows-e.encoded)))
}

// Flush implements column.Flusher: it writes the batch.
func (e *encoder) Flush() error {
	if e.inBatch == 0 {
		return nil
	}
	e.encoded += int64(e.inBatch)
	e.inBatch, e.nested, e.written = 0, 0, true
	record := e.builder.NewRecord()
	defer record.Release()
	return e.w.Write(record)
}

// leastRoom is the least room, in values, that the library makes, but for bytes.
const leastRoom = 32

// cut gives columns of the last batch the room that they would have if the number of rows had been known: the length
// of a buffer of nulls, and so the bytes of the file, follow from it.
func (e *encoder) cut() {
	for k := range e.builder.Schema().Fields() {
		nested := k >= len(e.schema.Columns) && e.schema.Kept[k-len(e.schema.Columns)].Type.IsNested()
		if e.schema.Rows >= 0 || e.inBatch == 0 || nested {
			continue
		}
		room := max(leastRoom, e.inBatch)
		switch e.builder.Field(k).(type) {
		case *array.StringBuilder, *array.BinaryBuilder, *array.FixedSizeBinaryBuilder:
			room = e.inBatch
		}
		e.builder.Field(k).Resize(room)
	}
}

func (e *encoder) Finish() error {
	e.cut()
	if err := e.Flush(); err != nil {
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
	// The file format has an end-of-stream mark before the footer, which the library
	// leaves out: with it the file also reads as a stream.
	if e.file != nil {
		if _, err := e.out.Write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}); err != nil {
			return err
		}
	}
	return e.w.Close()
}
