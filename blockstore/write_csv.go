package blockstore

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nystream/nystream/stream"
)

// csvWriter writes a header, and a line per row: numbers in the shortest form
// that gives the same float64 when read, then the kept columns.
type csvWriter struct {
	file      *atomicFile
	out       *bufio.Writer
	schema    Schema
	count     int64
	delimiter byte
	line      []byte
}

// newCSVWriter starts a CSV file, or one with tabs if its name ends in .tsv.
func newCSVWriter(f *atomicFile, s Schema) (Writer, error) {
	w := &csvWriter{file: f, out: bufio.NewWriterSize(f, writeBuffer), schema: s, delimiter: ','}
	if strings.EqualFold(filepath.Ext(f.target), ".tsv") {
		w.delimiter = '\t'
	}
	if len(s.Columns)+len(s.Kept) == 0 {
		return nil, fmt.Errorf("cannot write %s: there are no columns", f.target)
	}
	for _, name := range s.Columns {
		w.name(name)
	}
	for _, field := range s.Kept {
		w.name(field.Name)
	}
	return w, w.endLine()
}

// name adds the name of a column to the line. One that looks like a number, or
// like nothing, gets an x before it: the line must look like a header.
func (w *csvWriter) name(s string) {
	var k cellKinds
	if k.see([]byte(s)); !k.text {
		s = "x" + s
	}
	w.text(s)
}

// text adds a cell of text to the line, in quotes if it needs them.
func (w *csvWriter) text(s string) {
	if strings.ContainsAny(s, "\"\r\n") || strings.IndexByte(s, w.delimiter) >= 0 || strings.TrimSpace(s) != s {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	w.line = append(append(w.line, s...), w.delimiter)
}

// number adds a number to the line.
func (w *csvWriter) number(v float64) {
	w.line = append(strconv.AppendFloat(w.line, v, 'g', -1, 64), w.delimiter)
}

// endLine writes the line, its last delimiter changed to a newline.
func (w *csvWriter) endLine() error {
	if len(w.line) == 1 { // one empty cell would be a blank line
		w.line = append(w.line[:0], `"",`...)
	}
	w.line[len(w.line)-1] = '\n'
	_, err := w.out.Write(w.line)
	w.line = w.line[:0]
	return err
}

// Write appends the first n rows of b.
func (w *csvWriter) Write(b *stream.Batch, n int) error {
	mustWrite(w.schema, b, n)
	for i := range n {
		for _, v := range rowOf(b.X, i) {
			w.number(v)
		}
		for k := range b.Kept {
			w.kept(&b.Kept[k], i)
		}
		if err := w.endLine(); err != nil {
			return err
		}
	}
	w.count += int64(n)
	return nil
}

// kept adds value i of a kept column to the line; nothing for a null.
func (w *csvWriter) kept(c *stream.Column, i int) {
	switch {
	case !valid(c, i):
		w.line = append(w.line, w.delimiter)
	case c.Kind == stream.Float64:
		w.number(c.Floats[i])
	case c.Kind == stream.Int64:
		w.line = append(strconv.AppendInt(w.line, c.Ints[i], 10), w.delimiter)
	default:
		w.text(c.Strings[i])
	}
}

// Commit finishes the file.
func (w *csvWriter) Commit() error {
	defer w.Abort() // does nothing after success
	if err := checkCount(w.file.target, w.schema, w.count); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	return w.file.Commit()
}

// Abort drops everything.
func (w *csvWriter) Abort() { w.file.Abort() }
