package text

import (
	"bufio"
	"io"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// csvEncoder writes a header, and a line per row: numbers in the shortest form that restores the
// same float64, then the kept columns.
type csvEncoder struct {
	path      string
	out       *bufio.Writer
	delimiter byte
	line      []byte
	failed    error // of the line
}

// NewCSVEncoder returns a StartEncoder of CSV with the given delimiter.
func NewCSVEncoder(delimiter byte) column.StartEncoder {
	return func(out io.Writer, s stream.Info) (column.Encoder, error) { return newCSV(out, delimiter, s) }
}

func newCSV(out io.Writer, delimiter byte, s stream.Info) (column.Encoder, error) {
	e := &csvEncoder{path: s.Name, out: bufio.NewWriterSize(out, file.BufferSize), delimiter: delimiter}
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, column.ErrNoColumns
	}
	for _, name := range s.Columns {
		e.name(name)
	}
	for _, field := range s.Kept {
		e.name(field.Name)
	}
	return e, e.endLine()
}

// name appends the name of a column to the line. A name that looks like a number or a missing value
// is prefixed with x, so that the line looks like a header.
func (e *csvEncoder) name(s string) {
	e.text(HeaderName(s))
}

// HeaderName returns the name in a CSV header of a column called name.
func HeaderName(name string) string {
	var k cellKinds
	if k.observe([]byte(name)); !k.text {
		return "x" + name
	}
	return name
}

// text appends a text cell to the line, quoted if necessary. A text with a NUL is an error, since
// readers, including ours, do not accept it as text.
func (e *csvEncoder) text(s string) {
	if strings.IndexByte(s, 0) >= 0 {
		e.failed = fault.Output(e.path, "the text %q holds a NUL, which a CSV file cannot", fault.Shorten([]byte(s))).
			WithRemedy("write .jsonl, .parquet or .arrow")
	}
	if strings.ContainsAny(s, "\"\r\n") || strings.IndexByte(s, e.delimiter) >= 0 || strings.TrimSpace(s) != s {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	e.line = append(append(e.line, s...), e.delimiter)
}

// number appends a number to the line.
func (e *csvEncoder) number(v float64) {
	e.line = append(appendNumber(e.line, v), e.delimiter)
}

// appendNumber appends a number with as few digits as restore it exactly, and integers of up to 15
// digits without an exponent.
func appendNumber(line []byte, v float64) []byte { return appendFloat(line, v, 64) }

// endLine writes the line, with a newline in place of its last delimiter.
func (e *csvEncoder) endLine() error {
	if e.failed != nil {
		return e.failed
	}
	if len(e.line) == 1 { // an empty cell alone would be a blank line
		e.line = append(e.line[:0], `"",`...)
	}
	e.line[len(e.line)-1] = '\n'
	_, err := e.out.Write(e.line)
	e.line = e.line[:0]
	return err
}

func (e *csvEncoder) Encode(b *stream.Batch, n int) error {
	for i := range n {
		for _, v := range matrix.Row(b.X, i) {
			e.number(v)
		}
		for k := range b.Kept {
			if c := &b.Kept[k]; c.Kind == stream.Float64 && c.Type.Class == logical.None && !c.Null(i) {
				e.number(c.Floats[i])
			} else {
				e.kept(c, i)
			}
		}
		if err := e.endLine(); err != nil {
			return err
		}
	}
	return nil
}

// kept appends value i of a kept column to the line, an empty cell for a null.
func (e *csvEncoder) kept(c *stream.Column, i int) {
	switch {
	case c.Null(i):
		e.line = append(e.line, e.delimiter)
	case c.Type.IsNested():
		json, err := appendNested(nil, c, i)
		if err != nil {
			e.failed = fault.Output(e.path, "%w", err)
		}
		e.text(string(json))
	case c.Kind == stream.String && (c.Type.Class == logical.None || c.Type.IsText()):
		e.text(c.Strings[i])
	case c.Type.Class == logical.Unmarked:
		if err := checkText([]byte(c.Strings[i])); err != nil {
			e.failed = fault.Output(e.path, "%w", err)
		}
		e.text(c.Strings[i])
	default:
		e.line = append(appendTyped(e.line, c, i), e.delimiter)
	}
}

func (e *csvEncoder) Finish() error { return e.out.Flush() }

// Flush implements column.Flusher.
func (e *csvEncoder) Flush() error { return e.out.Flush() }
