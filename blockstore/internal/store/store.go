// Package store implements our own columnar file format.
//
// The format, extension .nys, exists because the others do not protect their content: a third of
// random damage to Parquet and Arrow files reads as valid numbers. In a store a checksum covers
// every byte, so any single flipped bit is detected: in header, footer and trailer when the file is
// opened, in a section before its values are used. Sections are aligned to 64 bytes and laid out
// like Arrow buffers, so they can be used in place. All integers and floats are little-endian.
//
//	┌──────────────────────────────┐ 0
//	│ header              64 bytes │
//	├──────────────────────────────┤ 64
//	│ chunk 0, column 0            │
//	│ chunk 0, column 1            │  sections, each padded with
//	│ ...                          │  zeros to a multiple of 64
//	│ chunk 1, column 0            │
//	│ ...                          │
//	├──────────────────────────────┤ footer offset
//	│ footer                       │  padded with zeros likewise
//	├──────────────────────────────┤ file size − 64
//	│ trailer             64 bytes │
//	└──────────────────────────────┘
//
// The header:
//
//	0      8      12           16        20            60      64
//	┌──────┬──────┬────────────┬─────────┬─────────────┬───────┐
//	│magic │vers. │rows a chunk│columns  │zeros        │crc    │
//	│8     │u32   │u32         │u32      │40           │u32    │
//	└──────┴──────┴────────────┴─────────┴─────────────┴───────┘
//
// The magic is 89 'N' 'Y' 'S' 0D 0A 1A 0A, which a transfer in text mode corrupts; the version is
// 1, or 2 if a column has a logical type; the crc covers bytes 0–59. Every crc is CRC-32C
// (Castagnoli).
//
// A chunk is a run of consecutive rows. All chunks but the last have the number of rows in the
// header; a store without rows has no chunks. A section is one column of one chunk, either raw or
// as one zstd frame. It consists of
//
//	number  │ rows × 8 bytes                        │ validity │
//	string  │ (rows+1) × u32 ends │ bytes of values │ validity │
//
// where a number is a float64 or an int64, value i of a string column is bytes ends[i] to ends[i+1]
// counted from the first byte after the ends, and the validity, present if a flag of the section is
// set, has one bit per row in ⌈rows/8⌉ bytes, lowest bit first, 0 for null.
//
// The footer:
//
//	┌─────────┬──────────────────────┬──────────────────────┐
//	│rows u64 │columns               │sections              │
//	└─────────┴──────────────────────┴──────────────────────┘
//	a column:  kind u32 (0 float64, 1 int64, 2 string, 3 float64 with a
//	           generated name), length of the name u32, the name in UTF-8; if
//	           256 is added to the kind, length u32 and name of its logical
//	           type (see package logical), whose values are as in
//	           stream.FieldOf, decimals as strings; if 512 is added, the name
//	           is generated
//	a section: 0        8         16           24       28      32
//	           ┌────────┬─────────┬────────────┬────────┬───────┐
//	           │offset  │stored   │raw         │crc     │flags  │
//	           │u64     │bytes u64│bytes u64   │u32     │u32    │
//	           └────────┴─────────┴────────────┴────────┴───────┘
//
// Sections are listed chunk by chunk in the order of the columns, which is their order in the file,
// without gaps. Stored is the length in the file without padding, raw the decompressed length; the
// crc covers the stored bytes and their padding. Flag 1 is zstd, flag 2 validity.
//
// The trailer:
//
//	0            8            16             48         52      56      64
//	┌────────────┬────────────┬──────────────┬──────────┬───────┬───────┐
//	│footer      │footer      │SHA-256 of all│footer crc│crc of │magic  │
//	│offset u64  │length u64  │before trailer│u32       │0–51   │8      │
//	└────────────┴────────────┴──────────────┴──────────┴───────┴───────┘
//
// The footer's length excludes padding, its crc includes it. The digest identifies the content;
// [Verify] compares it.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Constants of the format; see the package comment.
const (
	magic        = "\x89NYS\r\n\x1a\n"
	version      = 1 // of stores without logical types
	typedVersion = 2 // of stores with logical types
	alignment    = 64
	headerSize   = 64
	trailerSize  = 64
	entrySize    = 32 // of a section in the footer

	sectionZstd     = 1
	sectionValidity = 2

	maxChunkRows   = 4096     // rows in a chunk
	maxChunkValues = 1 << 20  // values in a chunk of more than one row
	maxSection     = 1 << 30  // raw bytes in a section
	maxNames       = 64 << 20 // bytes of a footer besides the entries of its sections
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crc32c returns the CRC-32C of p.
func crc32c(p []byte) uint32 { return crc32.Checksum(p, castagnoli) }

// paddedCRC returns the CRC-32C of p and the zeros up to the next multiple of 64.
func paddedCRC(p []byte) uint32 {
	var zeros [alignment]byte
	return crc32.Update(crc32c(p), castagnoli, zeros[:padded(int64(len(p)))-int64(len(p))])
}

// padded returns n rounded up to the alignment of sections.
func padded(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// rowsPerChunk limits chunks of many columns to a size that fits in memory.
func rowsPerChunk(columns int) int {
	return max(1, min(maxChunkRows, maxChunkValues/columns))
}

// section locates one column of one chunk.
type section struct {
	offset int64
	stored int64 // bytes in the file, without padding
	raw    int64 // bytes when decompressed
	crc    uint32
	flags  uint32
}

// append adds the section's footer entry to p.
func (s section) append(p []byte) []byte {
	p = binary.LittleEndian.AppendUint64(p, uint64(s.offset))
	p = binary.LittleEndian.AppendUint64(p, uint64(s.stored))
	p = binary.LittleEndian.AppendUint64(p, uint64(s.raw))
	p = binary.LittleEndian.AppendUint32(p, s.crc)
	return binary.LittleEndian.AppendUint32(p, s.flags)
}

// end returns the offset after the section and its padding.
func (s section) end() int64 { return s.offset + padded(s.stored) }

// compressed reports whether the section is a zstd frame.
func (s section) compressed() bool { return s.flags&sectionZstd != 0 }

// nullable reports whether the section ends with a validity bitmap.
func (s section) nullable() bool { return s.flags&sectionValidity != 0 }

// sectionTable is the footer's list of sections, 32 bytes each. It stays encoded, its most compact
// form.
type sectionTable []byte

// at decodes entry i.
func (t sectionTable) at(i int) section {
	p := t[i*entrySize : (i+1)*entrySize]
	return section{
		offset: int64(binary.LittleEndian.Uint64(p)),
		stored: int64(binary.LittleEndian.Uint64(p[8:])),
		raw:    int64(binary.LittleEndian.Uint64(p[16:])),
		crc:    binary.LittleEndian.Uint32(p[24:]),
		flags:  binary.LittleEndian.Uint32(p[28:]),
	}
}

// len returns the number of sections.
func (t sectionTable) len() int { return len(t) / entrySize }

// shape holds the contents of header, footer and trailer of a store.
type shape struct {
	chunkRows int
	rowCount  int64
	fields    []stream.Field
	kinds     []stream.ColumnKind // of the sections: decimals are strings
	nameless  []bool              // whether the name of each column is generated
	sections  sectionTable
	trailer   [trailerSize]byte
	body      int64 // file size without the trailer
}

// chunks returns the number of chunks.
func (s *shape) chunks() int {
	return int((s.rowCount + int64(s.chunkRows) - 1) / int64(s.chunkRows))
}

// firstRow returns the number of the first row of a chunk.
func (s *shape) firstRow(chunk int) int64 { return int64(chunk) * int64(s.chunkRows) }

// rowsOf returns the number of rows in a chunk.
func (s *shape) rowsOf(chunk int) int {
	return int(min(int64(s.chunkRows), s.rowCount-s.firstRow(chunk)))
}

// section returns the section of a column in a chunk.
func (s *shape) section(chunk, column int) section {
	return s.sections.at(chunk*len(s.fields) + column)
}

// encodeHeader returns the first 64 bytes of a store.
func encodeHeader(version, chunkRows, columns int) []byte {
	p := make([]byte, headerSize)
	copy(p, magic)
	binary.LittleEndian.PutUint32(p[8:], uint32(version))
	binary.LittleEndian.PutUint32(p[12:], uint32(chunkRows))
	binary.LittleEndian.PutUint32(p[16:], uint32(columns))
	binary.LittleEndian.PutUint32(p[60:], crc32c(p[:60]))
	return p
}

// namelessKind is the kind of a float64 column with a generated name. typedKind is added to the
// kind of a column with a logical type, unnamedKind to the kind of a non-float64 column with a
// generated name.
const (
	namelessKind = 3
	typedKind    = 256
	unnamedKind  = 512
)

// sectionKind returns the kind of the sections of a column.
func sectionKind(f stream.Field) stream.ColumnKind {
	if f.Type.Class == logical.Decimal {
		return stream.String
	}
	return f.Kind
}

// kindOf returns the kind of a column in the footer.
func kindOf(f stream.Field) uint32 {
	kind := uint32(sectionKind(f))
	switch {
	case f.Nameless && f.Kind == stream.Float64 && f.Type.Class == logical.None:
		kind = namelessKind
	case f.Nameless:
		kind += unnamedKind
	}
	if f.Type.Class != logical.None {
		kind += typedKind
	}
	return kind
}

// versionOf returns the version of a store with columns of these types.
func versionOf(fields []stream.Field) int {
	if slices.ContainsFunc(fields, func(f stream.Field) bool { return kindOf(f) >= typedKind }) {
		return typedVersion
	}
	return version
}

// encodeFooter returns the footer without padding.
func encodeFooter(rows int64, fields []stream.Field, sections sectionTable) []byte {
	p := binary.LittleEndian.AppendUint64(nil, uint64(rows))
	for _, f := range fields {
		name := f.Type.String()
		p = binary.LittleEndian.AppendUint32(p, kindOf(f))
		p = binary.LittleEndian.AppendUint32(p, uint32(len(f.Name)))
		p = append(p, f.Name...)
		if name != "" {
			p = binary.LittleEndian.AppendUint32(p, uint32(len(name)))
			p = append(p, name...)
		}
	}
	return append(p, sections...)
}

// encodeTrailer returns the last 64 bytes of a store. The footer's crc covers its
// padding, its length does not.
func encodeTrailer(footerOffset, footerLength int64, footerCRC uint32, digest []byte) []byte {
	p := make([]byte, trailerSize)
	binary.LittleEndian.PutUint64(p, uint64(footerOffset))
	binary.LittleEndian.PutUint64(p[8:], uint64(footerLength))
	copy(p[16:48], digest)
	binary.LittleEndian.PutUint32(p[48:], footerCRC)
	binary.LittleEndian.PutUint32(p[52:], crc32c(p[:52]))
	copy(p[56:], magic)
	return p
}

// readShape reads and checks all of a store except its sections.
func readShape(f io.ReaderAt, size int64) (*shape, error) {
	s := &shape{body: size - trailerSize}
	if s.body < headerSize || s.body%alignment != 0 {
		return nil, fmt.Errorf("%d bytes cannot be a whole store: the file is cut or not a store", size)
	}
	columns, err := s.readHeader(f)
	if err != nil {
		return nil, err
	}
	footer, offset, err := s.readFooter(f)
	if err != nil {
		return nil, err
	}
	if err := s.decodeFooter(footer, columns); err != nil {
		return nil, err
	}
	return s, s.checkSections(offset)
}

// readHeader checks the header and returns the number of columns.
func (s *shape) readHeader(f io.ReaderAt) (columns int, err error) {
	var p [headerSize]byte
	if _, err := f.ReadAt(p[:], 0); err != nil {
		return 0, err
	}
	if string(p[:8]) != magic {
		return 0, errors.New("the first 8 bytes are not those of a store")
	}
	if crc32c(p[:60]) != binary.LittleEndian.Uint32(p[60:]) {
		return 0, errors.New("the header is damaged: its checksum differs")
	}
	if v := binary.LittleEndian.Uint32(p[8:]); v != version && v != typedVersion {
		return 0, fault.New("the header says version %d, this program reads versions %d and %d",
			v, version, typedVersion).
			WithRemedy("write the store anew, or take the program that wrote it")
	}
	chunk, cols := uint64(binary.LittleEndian.Uint32(p[12:])), uint64(binary.LittleEndian.Uint32(p[16:]))
	if chunk == 0 || cols == 0 || chunk > maxChunkRows || chunk > 1 && chunk*cols > maxChunkValues {
		return 0, fmt.Errorf("the header says chunks of %d rows and %d columns, which are outside the format's limits", chunk, cols)
	}
	s.chunkRows = int(chunk)
	return int(cols), nil
}

// readFooter checks the trailer and returns the footer with its offset.
func (s *shape) readFooter(f io.ReaderAt) (footer []byte, offset int64, err error) {
	t := s.trailer[:]
	if _, err := f.ReadAt(t, s.body); err != nil {
		return nil, 0, err
	}
	if string(t[56:]) != magic {
		return nil, 0, errors.New("the last 8 bytes are not those of a store: the file is cut or was never finished")
	}
	if crc32c(t[:52]) != binary.LittleEndian.Uint32(t[52:]) {
		return nil, 0, errors.New("the trailer is damaged: its checksum differs")
	}
	offset = int64(binary.LittleEndian.Uint64(t))
	length := int64(binary.LittleEndian.Uint64(t[8:]))
	mostEntries := offset / alignment * entrySize // of sections, none of which is empty
	if offset < headerSize || length < 8 || length > s.body || offset != s.body-padded(length) || length-maxNames > mostEntries {
		return nil, 0, fmt.Errorf("a footer of %d bytes at %d does not end where the trailer begins, at %d", length, offset, s.body)
	}
	sum := binary.LittleEndian.Uint32(t[48:])
	if length > maxNames { // allocate nothing for an invalid footer
		crc := crc32.New(castagnoli)
		if _, err := io.Copy(crc, io.NewSectionReader(f, offset, padded(length))); err != nil {
			return nil, 0, err
		}
		if crc.Sum32() != sum {
			return nil, 0, errFooter
		}
	}
	footer = make([]byte, padded(length))
	if _, err := f.ReadAt(footer, offset); err != nil {
		return nil, 0, err
	}
	if crc32c(footer) != sum {
		return nil, 0, errFooter
	}
	return footer[:length], offset, nil
}

var errFooter = errors.New("the footer is damaged: its checksum differs")

// decodeFooter decodes rows, fields and sections.
func (s *shape) decodeFooter(p []byte, columns int) error {
	rows := binary.LittleEndian.Uint64(p)
	p = p[8:]
	if columns > len(p)/8 {
		return fmt.Errorf("the footer has no room for %d columns", columns)
	}
	s.fields, s.kinds, s.nameless = make([]stream.Field, columns), make([]stream.ColumnKind, columns), make([]bool, columns)
	for i := range s.fields {
		if len(p) < 8 {
			return fmt.Errorf("the footer ends within column %d of %d", i, columns)
		}
		kind, length := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])
		p = p[8:]
		hasType := kind&typedKind != 0
		s.nameless[i] = kind == namelessKind || kind&unnamedKind != 0
		if kind &^= typedKind | unnamedKind; kind == namelessKind {
			kind = uint32(stream.Float64)
		}
		if kind > uint32(stream.String) || uint64(length) > uint64(len(p)) {
			return fmt.Errorf("column %d has kind %d and a name of %d bytes, which cannot be", i, kind, length)
		}
		s.kinds[i] = stream.ColumnKind(kind)
		s.fields[i] = stream.Field{Name: string(p[:length]), Kind: stream.ColumnKind(kind)}
		p = p[length:]
		if hasType {
			var err error
			if p, err = s.decodeType(i, p); err != nil {
				return err
			}
		}
	}
	s.sections = p
	chunks := uint64(len(p) / (entrySize * columns))
	least := (max(chunks, 1) - 1) * uint64(s.chunkRows)
	if rows > math.MaxInt64 || len(p)%(entrySize*columns) != 0 ||
		rows > chunks*uint64(s.chunkRows) || rows <= least && chunks > 0 {
		return fmt.Errorf("the footer says %d rows of %d columns, which do not fit its %d bytes of section entries", rows, columns, len(p))
	}
	s.rowCount = int64(rows)
	return nil
}

// decodeType decodes the logical type of column i and returns the rest of the footer.
func (s *shape) decodeType(i int, p []byte) ([]byte, error) {
	if len(p) < 4 || uint64(binary.LittleEndian.Uint32(p)) > uint64(len(p)-4) {
		return nil, fmt.Errorf("the footer ends within the type of column %d", i)
	}
	end := 4 + binary.LittleEndian.Uint32(p)
	t, err := logical.Parse(string(p[4:end]))
	if err != nil {
		return nil, fault.New("column %d: %w", i, err).WithRemedy("take the program that wrote it")
	}
	if s.fields[i] = stream.FieldOf(s.fields[i].Name, t); sectionKind(s.fields[i]) != s.kinds[i] {
		return nil, fmt.Errorf("column %d has the type %s and kind %d, which cannot be", i, t, s.kinds[i])
	}
	return p[end:], nil
}

// checkSections checks that the sections fill the file from the header to the footer, and that
// their sizes match their rows.
func (s *shape) checkSections(footerOffset int64) error {
	next := int64(headerSize)
	for i := range s.sections.len() {
		e := s.sections.at(i)
		if e.offset != next || e.stored < 0 || e.stored > footerOffset-next {
			return fmt.Errorf("section %d is not where it should be: %d bytes at %d, expected at %d", i, e.stored, e.offset, next)
		}
		next = e.end()
		if err := s.checkSize(i, e); err != nil {
			return err
		}
	}
	if next != footerOffset {
		return fmt.Errorf("sections end at %d, the footer begins at %d", next, footerOffset)
	}
	return nil
}

// checkSize checks the sizes and flags of section i.
func (s *shape) checkSize(i int, e section) error {
	rows, kind := int64(s.rowsOf(i/len(s.fields))), s.kinds[i%len(s.fields)]
	least, most := 8*rows, 8*rows
	if kind == stream.String {
		least, most = 4*(rows+1), maxSection
	}
	if e.nullable() {
		least, most = least+(rows+7)/8, most+(rows+7)/8
	}
	switch {
	case e.flags&^(sectionZstd|sectionValidity) != 0:
		return fmt.Errorf("section %d has unknown flags %#x", i, e.flags)
	case e.raw < least || e.raw > most:
		return fmt.Errorf("section %d has %d bytes for %d rows, expected %d to %d", i, e.raw, rows, least, most)
	case e.compressed() != (e.stored < e.raw) || e.stored > e.raw:
		return fmt.Errorf("section %d stores %d bytes in %d", i, e.raw, e.stored)
	}
	return nil
}
