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

// A record batch has at most batchRows rows and about batchBytes of numbers when written: it is
// buffered until it is complete.
const (
	batchRows  = 64 << 10
	batchBytes = 4 << 20
)

// WriterBytes returns the memory of a writer of the given number of columns: the current batch,
// garbage of the previous one, and per-column structures.
func WriterBytes(columns int) int64 { return 3*batchBytes + 2<<10*int64(columns) }

// encoder writes record batches: numeric columns as float64 without nulls, kept columns as
// nullable.
type encoder struct {
	out         io.Writer
	file        io.WriteSeeker // nil for a stream
	w           batchWriter
	written     bool // the file has a batch
	builder     *array.RecordBuilder
	schema      stream.Info
	batchRows   int
	batchFill   int
	nested      int   // bytes of nested values in the batch
	encodedRows int64 // rows of the earlier batches
}

// batchWriter is the writer of the library, for a file or a stream.
type batchWriter interface {
	Write(arrow.Record) error
	Close() error
}

// NewEncoder returns an encoder of an Arrow IPC file.
func NewEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	return newEncoder(out, out.(io.WriteSeeker), s)
}

// NewStreamEncoder returns an encoder of an Arrow IPC stream.
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

// begin creates the writer of batches of a schema. It writes nothing before the first batch.
func (e *encoder) begin(schema *arrow.Schema) (err error) {
	e.builder = array.NewRecordBuilder(memory.DefaultAllocator, schema)
	if e.file == nil {
		e.w = ipc.NewWriter(e.out, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
		return nil
	}
	e.w, err = ipc.NewFileWriter(e.file, ipc.WithSchema(schema))
	return err
}

// Describe adds metadata to the schema.
func (e *encoder) Describe(about map[string]string) error {
	metadata := arrow.MetadataFrom(about) // sorted by name
	fields := e.builder.Schema().Fields()
	e.builder.Release()
	return e.begin(arrow.NewSchema(fields, &metadata))
}

func (e *encoder) Encode(b *stream.Batch, n int) error {
	for done := 0; done < n; {
		rows := e.fits(b, done, min(n-done, e.batchRows-e.batchFill))
		if err := e.add(b, done, rows); err != nil {
			return err
		}
		done += rows
		if e.batchFill += rows; e.batchFill == e.batchRows || e.nested >= batchBytes {
			if err := e.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits returns how many of n rows, starting at row at, fit in the batch, which is full at
// batchBytes of nested values.
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

// add adds rows of b, starting at row at, to the batch.
func (e *encoder) add(b *stream.Batch, at, rows int) error {
	for k := range e.schema.Columns {
		column := e.builder.Field(k).(*array.Float64Builder)
		if e.batchFill == 0 {
			column.Resize(max(rows, e.expected())) // once per batch
		}
		column.Reserve(rows)
		for i := at; i < at+rows; i++ {
			column.UnsafeAppend(b.X.Data[i*b.X.Stride+k])
		}
	}
	for k := range e.schema.Kept {
		column := e.builder.Field(len(e.schema.Columns) + k)
		if e.batchFill == 0 && !b.Kept[k].Type.IsNested() {
			column.Resize(max(rows, e.expected())) // once for the batch
		}
		if err := addKept(column, &b.Kept[k], at, at+rows); err != nil {
			return fault.New("column %s: %w", quote.Name(e.schema.Kept[k].Name), err)
		}
	}
	return nil
}

// expected returns the expected number of rows of the current batch.
func (e *encoder) expected() int {
	if e.schema.Rows < 0 {
		return e.batchRows
	}
	return int(max(0, min(int64(e.batchRows), e.schema.Rows-e.encodedRows)))
}

// Flush implements column.Flusher: it writes the current batch.
func (e *encoder) Flush() error {
	if e.batchFill == 0 {
		return nil
	}
	e.encodedRows += int64(e.batchFill)
	e.batchFill, e.nested, e.written = 0, 0, true
	record := e.builder.NewRecord()
	defer record.Release()
	return e.w.Write(record)
}

// minCapacity is the minimal capacity, in values, that the library allocates, except for bytes.
const minCapacity = 32

// trim reduces the capacity of columns of the last batch to what it would be for a known number of
// rows. The length of validity buffers, and so the bytes of the file, depend on it.
func (e *encoder) trim() {
	for k := range e.builder.Schema().Fields() {
		nested := k >= len(e.schema.Columns) && e.schema.Kept[k-len(e.schema.Columns)].Type.IsNested()
		if e.schema.Rows >= 0 || e.batchFill == 0 || nested {
			continue
		}
		room := max(minCapacity, e.batchFill)
		switch e.builder.Field(k).(type) {
		case *array.StringBuilder, *array.BinaryBuilder, *array.FixedSizeBinaryBuilder:
			room = e.batchFill
		}
		e.builder.Field(k).Resize(room)
	}
}

func (e *encoder) Finish() error {
	e.trim()
	if err := e.Flush(); err != nil {
		return err
	}
	defer e.builder.Release()
	if !e.written { // the library would write the schema after the mark
		record := e.builder.NewRecord()
		defer record.Release()
		if err := e.w.Write(record); err != nil {
			return err
		}
	}
	// The file format has an end-of-stream mark before the footer, which the library omits. With it
	// the file can also be read as a stream.
	if e.file != nil {
		if _, err := e.out.Write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}); err != nil {
			return err
		}
	}
	return e.w.Close()
}
