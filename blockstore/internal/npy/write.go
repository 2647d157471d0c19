package npy

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// encoder writes a float64 matrix in C order.
type encoder struct {
	file   io.WriterAt // nil for a pipe
	out    *bufio.Writer
	schema stream.Info
	rows   int64
	row    []byte
}

// NewEncoder starts an NPY file. Its header contains the number of rows. If that is unknown Finish
// corrects it, which requires a file, not a pipe.
func NewEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	f, _ := out.(io.WriterAt)
	if s.Rows < 0 && f == nil {
		panic("npy: the number of rows is not known")
	}
	if len(s.Kept) > 0 {
		return nil, fault.New("an NPY file holds one matrix of numbers and cannot keep column %q", s.Kept[0].Name).
			WithRemedy("write .parquet, .arrow or .csv, or keep no columns")
	}
	e := &encoder{file: f, out: bufio.NewWriterSize(out, file.BufferSize), schema: s}
	_, err := e.out.Write(e.header(max(0, s.Rows)))
	return e, err
}

// header returns the header of a matrix of the given number of rows.
func (e *encoder) header(rows int64) []byte {
	return HeaderBytes("<f8", rows, int64(len(e.schema.Columns)))
}

func (e *encoder) Encode(b *stream.Batch, n int) error {
	if b.X.Stride == b.X.Cols && n > 0 && littleEndian {
		e.rows += int64(n)
		_, err := e.out.Write(bytesOf(b.X.Data[:n*b.X.Cols]))
		return err
	}
	for i := range n {
		e.row = e.row[:0]
		for _, v := range matrix.Row(b.X, i) {
			e.row = binary.LittleEndian.AppendUint64(e.row, math.Float64bits(v))
		}
		if _, err := e.out.Write(e.row); err != nil {
			return err
		}
	}
	e.rows += int64(n)
	return nil
}

func (e *encoder) Finish() error {
	if err := e.out.Flush(); err != nil || e.schema.Rows >= 0 {
		return err
	}
	_, err := e.file.WriteAt(e.header(e.rows), 0)
	return err
}

// Flush implements column.Flusher.
func (e *encoder) Flush() error { return e.out.Flush() }
