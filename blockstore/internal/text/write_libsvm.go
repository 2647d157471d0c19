package text

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// libsvmEncoder writes a label and index:value pairs per row. Zeros are omitted, except for the
// last feature of the first row, which determines the number of features. Negative zeros are
// written, so that rows are restored bit for bit. The names of the columns are lost.
type libsvmEncoder struct {
	path   string
	out    *bufio.Writer
	schema stream.Info
	rows   int64
	line   []byte
}

// NewLibsvmEncoder returns an encoder of a libsvm file. The kept column is the label; without one
// the labels are 0.
func NewLibsvmEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	if len(s.Kept) > 1 {
		return nil, fault.New("a libsvm file keeps one column, the label, not %d", len(s.Kept)).WithRemedy("write .parquet, .arrow or .csv")
	}
	if len(s.Columns) > column.Max {
		return nil, fault.New("%d columns are more than the %d that can be read again", len(s.Columns), column.Max).WithRemedy("write .parquet")
	}
	return &libsvmEncoder{path: s.Name, out: bufio.NewWriterSize(out, file.BufferSize), schema: s}, nil
}

func (e *libsvmEncoder) Encode(b *stream.Batch, n int) error {
	for i := range n {
		if err := e.label(b, i); err != nil {
			return fault.Cell(e.path, e.rows, e.schema.Kept[0].Name, "%w", err)
		}
		e.pairs(matrix.Row(b.X, i))
		if _, err := e.out.Write(append(e.line, '\n')); err != nil {
			return err
		}
		e.rows++
	}
	return nil
}

// label begins a line with the label of row i; a null becomes nan.
func (e *libsvmEncoder) label(b *stream.Batch, i int) error {
	e.line = e.line[:0]
	if len(e.schema.Kept) == 0 {
		e.line = append(e.line, '0')
		return nil
	}
	switch c := &b.Kept[0]; {
	case c.Null(i):
		e.line = append(e.line, "nan"...)
	case c.Type.Class == logical.Uint || c.Type.Class == logical.Decimal:
		e.line = appendTyped(e.line, c, i)
	case c.Kind == stream.Float64:
		e.line = appendNumber(e.line, c.Floats[i])
	case c.Kind == stream.Int64:
		e.line = strconv.AppendInt(e.line, c.Ints[i], 10)
	case c.Type.Class == logical.Bytes || c.Type.Class == logical.UUID:
		e.line = appendTyped(e.line, c, i)
	case c.Strings[i] == "" || strings.ContainsAny(c.Strings[i], " \t\r\n:#"):
		return fault.New("a libsvm label is not empty and has no blank, ':' or '#' in it").WithRemedy("write .csv, or keep another column")
	default:
		e.line = append(e.line, c.Strings[i]...)
	}
	return nil
}

// pairs adds the numbers of a row to the line.
func (e *libsvmEncoder) pairs(row []float64) {
	for j, v := range row {
		if math.Float64bits(v) == 0 && (e.rows > 0 || j < len(row)-1) {
			continue
		}
		e.line = strconv.AppendInt(append(e.line, ' '), int64(j+1), 10)
		e.line = appendNumber(append(e.line, ':'), v)
	}
}

func (e *libsvmEncoder) Finish() error { return e.out.Flush() }

// Flush implements column.Flusher.
func (e *libsvmEncoder) Flush() error { return e.out.Flush() }
