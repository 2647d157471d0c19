package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// chunkReader holds the verified sections of one chunk of an open store.
type chunkReader struct {
	table   *Table
	window  window // the stored bytes of the chosen sections
	unpack  compression.Unpacker
	scratch map[int][]byte // decompressed sections, by column
	raw     map[int][]byte // the sections, by column; valid until the next load
}

// close closes the file.
func (r *chunkReader) close() error {
	r.unpack.Close()
	return r.window.close()
}

// gapBytes is the largest gap between two chosen sections that are opened together, which is
// cheaper than another mapping or read.
const gapBytes = 64 << 10

// run is a range of sections that are opened together.
type run struct {
	columns  []int // ascending
	from, to int64 // byte range in the file
}

// load opens and verifies the sections of the given columns of a chunk. Calls of load, and all uses
// of the sections, must run within guard.
func (r *chunkReader) load(chunk int, columns []int) error {
	if r.raw == nil {
		r.raw, r.scratch = make(map[int][]byte, len(columns)), make(map[int][]byte)
	}
	clear(r.raw)
	runs := r.runs(chunk, columns)
	list, err := r.window.open(runs)
	if err != nil {
		return err
	}
	for i, run := range runs {
		if err := r.verify(chunk, run, list[i]); err != nil {
			return err
		}
	}
	return nil
}

// guard calls use, which loads and reads sections.
func (r *chunkReader) guard(use func() error) error {
	err := guard(use)
	if errors.Is(err, errShortened) {
		return fault.File(r.table.Path, "%w", fault.Damaged(err))
	}
	return err
}

// runs groups the sections of the given columns of a chunk into runs.
func (r *chunkReader) runs(chunk int, columns []int) (list []run) {
	columns = slices.Clone(columns)
	slices.Sort(columns)
	columns = slices.Compact(columns)
	for len(columns) > 0 {
		s := r.table.section(chunk, columns[0])
		next, n := run{from: s.offset, to: s.end()}, 1
		for ; n < len(columns); n++ {
			if s = r.table.section(chunk, columns[n]); s.offset-next.to > gapBytes {
				break
			}
			next.to = s.end()
		}
		next.columns, columns = columns[:n], columns[n:]
		list = append(list, next)
	}
	return list
}

// verify verifies the sections of a run whose bytes are p.
func (r *chunkReader) verify(chunk int, run run, p []byte) error {
	for _, c := range run.columns {
		s := r.table.section(chunk, c)
		raw, err := r.verified(c, s, p[s.offset-run.from:s.end()-run.from])
		if err == nil && r.table.kinds[c] == stream.String {
			err = checkEnds(raw, s, r.table.rowsOf(chunk))
		}
		if err != nil {
			return fault.Cell(r.table.Path, r.table.firstRow(chunk), r.table.fields[c].Name, "%w", fault.Damaged(err))
		}
		r.raw[c] = raw
	}
	return nil
}

// verified returns the raw bytes of the section of a column, stored as p.
func (r *chunkReader) verified(column int, s section, p []byte) ([]byte, error) {
	if crc32c(p) != s.crc {
		return nil, fmt.Errorf("the section of %d bytes at %d, which begins with this row, is damaged: its checksum differs", s.stored, s.offset)
	}
	if !s.compressed() {
		return p[:s.raw], nil
	}
	return r.decompress(column, s, p[:s.stored])
}

// decompress decodes the section of a column into its scratch.
func (r *chunkReader) decompress(c int, s section, p []byte) ([]byte, error) {
	r.scratch[c] = column.Resized(r.scratch[c], int(s.raw))
	if err := r.unpack.Zstd(r.scratch[c], p); err != nil {
		return nil, fault.New("the section at byte %d cannot be decompressed: %w", s.offset, compression.Failed(err))
	}
	return r.scratch[c], nil
}

// checkEnds checks that the ends of a string section ascend from 0 to the size of the values.
func checkEnds(raw []byte, s section, rows int) error {
	bytes := len(raw) - 4*(rows+1)
	if s.nullable() {
		bytes -= (rows + 7) / 8
	}
	last := uint32(0)
	for i := range rows + 1 {
		end := binary.LittleEndian.Uint32(raw[4*i:])
		if end < last || i == 0 && end != 0 {
			return fmt.Errorf("string %d ends at byte %d, before it begins", i, end)
		}
		last = end
	}
	if int64(last) != int64(bytes) {
		return fmt.Errorf("the strings have %d bytes, their ends say %d", bytes, last)
	}
	return nil
}
