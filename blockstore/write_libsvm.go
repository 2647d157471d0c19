package blockstore

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nystream/nystream/stream"
)

// libsvmWriter writes a label and index:value pairs per row. Zeros are left
// out, but for the last feature of the first row, which tells a reader how
// many features there are. Negative zeros are written: a row comes back as it
// was, bit for bit. The names of the columns are lost.
type libsvmWriter struct {
	file   *atomicFile
	out    *bufio.Writer
	schema Schema
	count  int64
	line   []byte
}

// newLibsvmWriter starts a libsvm file. The kept column is the label; without
// one the labels are 0.
func newLibsvmWriter(f *atomicFile, s Schema) (Writer, error) {
	if len(s.Kept) > 1 {
		return nil, fmt.Errorf("cannot write %s: a libsvm file keeps one column, the label, not %d; write .parquet, .arrow or .csv", f.target, len(s.Kept))
	}
	if len(s.Columns) > maxColumns {
		return nil, fmt.Errorf("cannot write %s: %d columns are more than the %d that can be read again; write .parquet", f.target, len(s.Columns), maxColumns)
	}
	return &libsvmWriter{file: f, out: bufio.NewWriterSize(f, writeBuffer), schema: s}, nil
}

// Write appends the first n rows of b.
func (w *libsvmWriter) Write(b *stream.Batch, n int) error {
	mustWrite(w.schema, b, n)
	for i := range n {
		if err := w.label(b, i); err != nil {
			return badCell(w.file.target, w.count, w.schema.Kept[0].Name, "%w", err)
		}
		w.pairs(rowOf(b.X, i))
		if _, err := w.out.Write(append(w.line, '\n')); err != nil {
			return err
		}
		w.count++
	}
	return nil
}

// label begins a line with the label of row i; a null is written as nan.
func (w *libsvmWriter) label(b *stream.Batch, i int) error {
	w.line = w.line[:0]
	if len(w.schema.Kept) == 0 {
		w.line = append(w.line, '0')
		return nil
	}
	switch c := &b.Kept[0]; {
	case !valid(c, i):
		w.line = append(w.line, "nan"...)
	case c.Kind == stream.Float64:
		w.line = strconv.AppendFloat(w.line, c.Floats[i], 'g', -1, 64)
	case c.Kind == stream.Int64:
		w.line = strconv.AppendInt(w.line, c.Ints[i], 10)
	case c.Strings[i] == "" || strings.ContainsAny(c.Strings[i], " \t\r\n:#"):
		return errors.New("a libsvm label is not empty and has no blank, ':' or '#' in it; write .csv, or keep another column")
	default:
		w.line = append(w.line, c.Strings[i]...)
	}
	return nil
}

// pairs adds the numbers of a row to the line.
func (w *libsvmWriter) pairs(row []float64) {
	for j, v := range row {
		if math.Float64bits(v) == 0 && (w.count > 0 || j < len(row)-1) {
			continue
		}
		w.line = strconv.AppendInt(append(w.line, ' '), int64(j+1), 10)
		w.line = strconv.AppendFloat(append(w.line, ':'), v, 'g', -1, 64)
	}
}

// Commit finishes the file.
func (w *libsvmWriter) Commit() error {
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
func (w *libsvmWriter) Abort() { w.file.Abort() }
