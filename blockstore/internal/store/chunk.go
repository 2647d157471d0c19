package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/compression"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// chunkReader gives the verified sections of one open store.
type chunkReader struct {
	table    *Table
	file     file.File
	unpack   compression.Unpacker
	raw      [][]byte // the sections of the current chunk
	fetched  []byte   // the bytes that raw is in, if they are not mapped
	unmapped bool     // the system does not map the file
	scratch  [][]byte // what is decompressed, by position in raw
}

// close closes the file.
func (r *chunkReader) close() error {
	r.unpack.Close()
	return r.file.Close()
}

// with hands the raw bytes of the given columns of a chunk to use, which must
// not keep them. Every section is verified first.
func (r *chunkReader) with(chunk int, columns []int, use func(raw [][]byte) error) error {
	from, to := int64(math.MaxInt64), int64(0)
	for _, c := range columns {
		s := r.table.section(chunk, c)
		from, to = min(from, s.offset), max(to, s.end())
	}
	if to == 0 {
		return use(nil)
	}
	err := r.withBytes(from, to, func(p []byte) error {
		r.raw = r.raw[:0]
		for _, c := range columns {
			s := r.table.section(chunk, c)
			raw, err := r.verified(s, p[s.offset-from:s.end()-from])
			if err == nil && r.table.fields[c].Kind == stream.String {
				err = checkEnds(raw, s, r.table.rowsOf(chunk))
			}
			if err != nil {
				return fault.Cell(r.table.Path, r.table.firstRow(chunk), r.table.fields[c].Name, "%w", fault.Damaged(err))
			}
			r.raw = append(r.raw, raw)
		}
		return use(r.raw)
	})
	if errors.Is(err, errShortened) {
		return fault.File(r.table.Path, "%w", fault.Damaged(err))
	}
	return err
}

// verified returns the raw bytes of a section that occupies p.
func (r *chunkReader) verified(s section, p []byte) ([]byte, error) {
	if crc32c(p) != s.crc {
		return nil, fmt.Errorf("the section of %d bytes at %d, which begins with this row, is damaged: its checksum differs", s.stored, s.offset)
	}
	if !s.compressed() {
		return p[:s.raw], nil
	}
	return r.decompress(s, p[:s.stored])
}

// decompress decodes a section into the scratch of its place in raw.
func (r *chunkReader) decompress(s section, p []byte) ([]byte, error) {
	place := len(r.raw)
	for len(r.scratch) <= place {
		r.scratch = append(r.scratch, nil)
	}
	r.scratch[place] = column.Resized(r.scratch[place], int(s.raw))
	if err := r.unpack.Zstd(r.scratch[place], p); err != nil {
		return nil, fault.New("the section at byte %d cannot be decompressed: %w", s.offset, compression.Failed(err))
	}
	return r.scratch[place], nil
}

// checkEnds checks that the ends of a string section ascend from 0 to the
// number of bytes that follow them.
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
