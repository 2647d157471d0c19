package blockstore

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nystream/nystream/stream"
)

// writeBuffer is the size of the buffer between a writer and its file.
const writeBuffer = 256 << 10

// npyWriter writes a float64 matrix in C order.
type npyWriter struct {
	file   *atomicFile
	out    *bufio.Writer
	schema Schema
	count  int64
	row    []byte
}

// newNPYWriter starts an NPY file. Its header holds the number of rows, which
// Commit corrects when it was not known.
func newNPYWriter(f *atomicFile, s Schema) (Writer, error) {
	if len(s.Kept) > 0 {
		return nil, fmt.Errorf("cannot write %s: an NPY file holds one matrix of numbers and cannot keep column %q; write .parquet, .arrow or .csv, or keep no columns", f.target, s.Kept[0].Name)
	}
	w := &npyWriter{file: f, out: bufio.NewWriterSize(f, writeBuffer), schema: s}
	_, err := w.out.Write(w.header(max(0, s.Rows)))
	return w, err
}

// header is the header of a matrix of that many rows.
func (w *npyWriter) header(rows int64) []byte {
	return npyHeaderBytes("<f8", rows, int64(len(w.schema.Columns)))
}

// Write appends the first n rows of b.
func (w *npyWriter) Write(b *stream.Batch, n int) error {
	mustWrite(w.schema, b, n)
	for i := range n {
		w.row = w.row[:0]
		for _, v := range rowOf(b.X, i) {
			w.row = binary.LittleEndian.AppendUint64(w.row, math.Float64bits(v))
		}
		if _, err := w.out.Write(w.row); err != nil {
			return err
		}
	}
	w.count += int64(n)
	return nil
}

// Commit finishes the file.
func (w *npyWriter) Commit() error {
	defer w.Abort() // does nothing after success
	if err := checkCount(w.file.target, w.schema, w.count); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	if w.schema.Rows < 0 {
		if _, err := w.file.WriteAt(w.header(w.count), 0); err != nil {
			return err
		}
	}
	return w.file.Commit()
}

// Abort drops everything.
func (w *npyWriter) Abort() { w.file.Abort() }
