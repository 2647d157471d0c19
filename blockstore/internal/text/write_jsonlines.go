package text

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// jsonEncoder writes an object per row, with the columns and then the kept columns as members.
// Numbers are in the shortest form that restores the same float64. NaN becomes null, which is read
// as NaN; infinities, which JSON lacks, are errors.
type jsonEncoder struct {
	path   string
	out    *bufio.Writer
	schema stream.Info
	names  []byte // concatenated prefixes of the values: separator and name
	ends   []int  // end of each prefix
	rows   int64
	line   []byte
	text   bytes.Buffer
	quoter *json.Encoder // to text
}

// NewJSONLinesEncoder returns an encoder of JSON lines.
func NewJSONLinesEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, column.ErrNoColumns
	}
	e := &jsonEncoder{path: s.Name, out: bufio.NewWriterSize(out, file.BufferSize), schema: s}
	e.quoter = json.NewEncoder(&e.text)
	e.quoter.SetEscapeHTML(false)
	taken := make(map[string]bool, len(s.Columns)+len(s.Kept))
	for i := range len(s.Columns) + len(s.Kept) {
		name := e.name(i)
		if taken[name] {
			return nil, fault.New("several columns are called %s, and members of a JSON object have different names", quote.Name(name)).
				WithRemedy("rename them, or write .parquet or .csv")
		}
		taken[name] = true
		e.names = append(e.names, separator(i))
		var err error
		if e.names, err = e.appendText(e.names, name); err != nil {
			return nil, fault.New("the name of column %s: %w", quote.Name(name), err)
		}
		e.names = append(e.names, ':')
		e.ends = append(e.ends, len(e.names))
	}
	return e, nil
}

// separator returns the character before the name of a column.
func separator(i int) byte {
	if i == 0 {
		return '{'
	}
	return ','
}

// head returns the prefix of the value of a column.
func (e *jsonEncoder) head(at int) []byte {
	if at == 0 {
		return e.names[:e.ends[0]]
	}
	return e.names[e.ends[at-1]:e.ends[at]]
}

// name returns the name of a column; kept columns follow the numeric ones.
func (e *jsonEncoder) name(i int) string {
	if i < len(e.schema.Columns) {
		return e.schema.Columns[i]
	}
	return e.schema.Kept[i-len(e.schema.Columns)].Name
}

func (e *jsonEncoder) Encode(b *stream.Batch, n int) error {
	for i := range n {
		if at, err := e.row(b, i); err != nil {
			return fault.Cell(e.path, e.rows, e.name(at), "%w", err)
		}
		if _, err := e.out.Write(append(e.line, '}', '\n')); err != nil {
			return err
		}
		e.rows++
	}
	return nil
}

// row formats the line of a row. With an error it returns the column.
func (e *jsonEncoder) row(b *stream.Batch, i int) (at int, err error) {
	e.line = e.line[:0]
	for _, v := range matrix.Row(b.X, i) {
		if err := e.number(at, v); err != nil {
			return at, err
		}
		at++
	}
	for k := range b.Kept {
		if err := e.kept(at, &b.Kept[k], i); err != nil {
			return at, err
		}
		at++
	}
	return at, nil
}

// errJSONInfinite reports a number that JSON cannot represent.
var errJSONInfinite = fault.New("JSON has no infinite numbers").WithRemedy("write .parquet, .arrow or .csv")

// number adds a number to the line.
func (e *jsonEncoder) number(at int, v float64) error {
	e.line = append(e.line, e.head(at)...)
	switch {
	case math.IsInf(v, 0):
		return errJSONInfinite
	case v != v:
		e.line = append(e.line, "null"...)
	default:
		e.line = appendNumber(e.line, v)
	}
	return nil
}

// kept adds value i of a kept column to the line.
func (e *jsonEncoder) kept(at int, c *stream.Column, i int) (err error) {
	switch {
	case c.Null(i):
		return e.number(at, math.NaN())
	case c.Kind == stream.Float64 && (c.Type.Class == logical.None || !matrix.IsFinite(c.Floats[i])):
		return e.number(at, c.Floats[i])
	}
	e.line = append(e.line, e.head(at)...)
	if c.Type.IsNested() {
		e.line, err = appendNested(e.line, c, i)
		return err
	}
	if !isWord(c) {
		e.line = appendTyped(e.line, c, i)
		return nil
	}
	e.line, err = e.appendText(e.line, string(appendTyped(nil, c, i)))
	return err
}

// appendText writes a text in quotes.
func (e *jsonEncoder) appendText(line []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return line, checkText([]byte(s))
	}
	e.text.Reset()
	if err := e.quoter.Encode(s); err != nil {
		return line, err
	}
	return append(line, bytes.TrimSuffix(e.text.Bytes(), []byte{'\n'})...), nil
}

func (e *jsonEncoder) Finish() error { return e.out.Flush() }

// Flush implements column.Flusher.
func (e *jsonEncoder) Flush() error { return e.out.Flush() }
