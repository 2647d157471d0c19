package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// WriterBytes is the maximal memory measured for writing 5 to 1000 columns (10.6 MiB), rounded up:
// a chunk has at most 8 MiB.
const WriterBytes = 12 << 20

// Encoder encodes rows as a store.
type Encoder struct {
	out       *bufio.Writer
	digest    hash.Hash
	offset    int64
	schema    stream.Info
	fields    []stream.Field // one for each column
	columns   []columnBuffer
	chunkRows int
	filled    int // rows in the current chunk
	rows      int64
	sections  sectionTable
	scratch   []byte
	packed    []byte
	packer    *compression.Packer // nil to store sections as they are
}

// columnBuffer collects one column of a chunk in the form of its section.
type columnBuffer struct {
	ends   []byte // of strings
	values []byte
	valid  []byte
	nulls  bool
}

// NewEncoder writes the header and prepares the first chunk.
func NewEncoder(w io.Writer, s stream.Info, compress bool) (*Encoder, error) {
	e := &Encoder{out: bufio.NewWriterSize(w, 1<<18), digest: sha256.New(), schema: s}
	for _, name := range s.Columns {
		e.fields = append(e.fields, stream.Field{Name: name, Kind: stream.Float64, Nameless: s.Nameless})
	}
	e.fields = append(e.fields, s.Kept...)
	if len(e.fields) == 0 {
		return nil, column.ErrNoColumns
	}
	if compress {
		var err error
		if e.packer, err = compression.NewPacker(); err != nil {
			return nil, err
		}
	}
	e.chunkRows = rowsPerChunk(numbersOf(e.fields))
	e.columns = make([]columnBuffer, len(e.fields))
	e.startChunk()
	return e, e.write(encodeHeader(versionOf(e.fields), e.chunkRows, len(e.fields)))
}

// numbersOf returns about how many numbers a row of the columns takes: a fixed-length list takes
// its length, another nested value nestedNumbers.
func numbersOf(fields []stream.Field) int {
	const nestedNumbers = 64
	n := len(fields)
	for _, f := range fields {
		switch {
		case f.Type.Size > 0 && f.Type.IsNested():
			n += int(f.Type.Size)
		case f.Type.IsNested():
			n += nestedNumbers
		}
	}
	return n
}

// startChunk empties the buffers.
func (e *Encoder) startChunk() {
	e.filled = 0
	for i := range e.columns {
		c := &e.columns[i]
		c.ends, c.values, c.valid, c.nulls = c.ends[:0], c.values[:0], c.valid[:0], false
		if sectionKind(e.fields[i]) == stream.String {
			c.ends = append(c.ends, 0, 0, 0, 0)
		}
	}
}

// write writes p, padded with zeros to a multiple of 64.
func (e *Encoder) write(p []byte) error {
	var zeros [alignment]byte
	for _, part := range [][]byte{p, zeros[:padded(int64(len(p)))-int64(len(p))]} {
		e.digest.Write(part)
		e.offset += int64(len(part))
		if _, err := e.out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (e *Encoder) Encode(b *stream.Batch, n int) error {
	for from := 0; from < n; {
		to := min(n, from+e.chunkRows-e.filled)
		if err := e.fill(b, from, to); err != nil {
			return err
		}
		from = to
		if e.filled == e.chunkRows {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill appends rows from..to-1 to the chunk, which has space for them.
func (e *Encoder) fill(b *stream.Batch, from, to int) error {
	for j := range e.schema.Columns {
		c := &e.columns[j]
		for i := from; i < to; i++ {
			c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(b.X.Data[i*b.X.Stride+j]))
		}
	}
	for k := range b.Kept {
		c, field := &e.columns[len(e.schema.Columns)+k], e.schema.Kept[k]
		if b.Kept[k].Kind != field.Kind {
			panic(fmt.Sprintf("blockstore: kept column %q has kind %d, the schema says %d", field.Name, b.Kept[k].Kind, field.Kind))
		}
		if err := c.appendKept(&b.Kept[k], sectionKind(field), from, to, e.filled); err != nil {
			return fault.New("column %q, rows %d to %d: %w", field.Name, e.rows, e.rows+int64(to-from), err)
		}
	}
	e.filled += to - from
	e.rows += int64(to - from)
	return nil
}

// appendKept appends rows from..to-1 of k to a section of the given kind. The chunk has filled rows
// so far.
func (c *columnBuffer) appendKept(k *stream.Column, kind stream.ColumnKind, from, to, filled int) error {
	switch kind {
	case stream.Float64:
		values := c.grow(to - from)
		for i, v := range k.Floats[from:to] {
			binary.LittleEndian.PutUint64(values[8*i:], math.Float64bits(v))
		}
	case stream.Int64:
		values := c.grow(to - from)
		for i, v := range k.Ints[from:to] {
			binary.LittleEndian.PutUint64(values[8*i:], uint64(v))
		}
	case stream.String:
		for _, v := range k.Strings[from:to] {
			c.values = append(c.values, v...)
			c.ends = binary.LittleEndian.AppendUint32(c.ends, uint32(len(c.values)))
		}
		if len(c.values) > maxSection/2 {
			return fmt.Errorf("the strings of one chunk exceed %d bytes, the limit of a store", maxSection/2)
		}
	}
	if len(c.valid) == 0 {
		if k.Valid == nil {
			return nil
		}
		for i := range filled {
			c.appendValid(i, true)
		}
	}
	for i := from; i < to; i++ {
		c.appendValid(filled+i-from, !k.Null(i))
	}
	return nil
}

// grow extends the values by n numbers and returns their memory.
func (c *columnBuffer) grow(n int) []byte {
	at := len(c.values)
	c.values = slices.Grow(c.values, 8*n)[:at+8*n]
	return c.values[at:]
}

// appendValid records whether row i of the chunk has a value.
func (c *columnBuffer) appendValid(i int, valid bool) {
	if i%8 == 0 {
		c.valid = append(c.valid, 0)
	}
	if valid {
		c.valid[i/8] |= 1 << (i % 8)
	} else {
		c.nulls = true
	}
}

// flush writes the chunk's sections.
func (e *Encoder) flush() error {
	for i := range e.columns {
		if err := e.writeSection(&e.columns[i]); err != nil {
			return err
		}
	}
	e.startChunk()
	return nil
}

// writeSection writes one column of the chunk and adds it to the footer.
func (e *Encoder) writeSection(c *columnBuffer) error {
	s := section{offset: e.offset}
	e.scratch = append(append(e.scratch[:0], c.ends...), c.values...)
	if c.nulls {
		e.scratch = append(e.scratch, c.valid...)
		s.flags |= sectionValidity
	}
	stored := e.scratch
	if e.packer != nil {
		if e.packed = e.packer.Zstd(e.packed, e.scratch); len(e.packed) < len(e.scratch) {
			stored = e.packed
			s.flags |= sectionZstd
		}
	}
	s.stored, s.raw, s.crc = int64(len(stored)), int64(len(e.scratch)), paddedCRC(stored)
	e.sections = s.append(e.sections)
	return e.write(stored)
}

// Finish writes the last chunk, the footer and the trailer.
// Finish implements column.Encoder.
func (e *Encoder) Finish() error {
	if e.filled > 0 {
		if err := e.flush(); err != nil {
			return err
		}
	}
	offset, footer := e.offset, encodeFooter(e.rows, e.fields, e.sections)
	if err := e.write(footer); err != nil {
		return err
	}
	trailer := encodeTrailer(offset, int64(len(footer)), paddedCRC(footer), e.digest.Sum(nil))
	if _, err := e.out.Write(trailer); err != nil {
		return err
	}
	return e.out.Flush()
}
