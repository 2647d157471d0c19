package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// footerTail is the size of the footer length and the magic bytes after it.
const footerTail = 8

// metadata is the part of a footer that is decoded. Key-value metadata is not: some writers omit
// values, which the library rejects.
type metadata struct {
	Schema              []format.SchemaElement     `thrift:"2,required"`
	NumRows             int64                      `thrift:"3,required"`
	RowGroups           []groupMetadata            `thrift:"4,required"`
	EncryptionAlgorithm format.EncryptionAlgorithm `thrift:"8,optional"`
}

// groupMetadata is the decoded part of a row group.
type groupMetadata struct {
	Columns []chunkMetadata `thrift:"1,required"`
	NumRows int64           `thrift:"3,required"`
}

// chunkMetadata is the decoded part of a column chunk.
type chunkMetadata struct {
	FilePath string `thrift:"1,optional"`
	MetaData struct {
		Type                  format.Type             `thrift:"1,required"`
		Codec                 format.CompressionCodec `thrift:"4,required"`
		NumValues             int64                   `thrift:"5,required"`
		TotalUncompressedSize int64                   `thrift:"6,required"`
		TotalCompressedSize   int64                   `thrift:"7,required"`
		DataPageOffset        int64                   `thrift:"9,required"`
		DictionaryPageOffset  int64                   `thrift:"11,optional"`
		Statistics            struct {
			NullCount thrift.Null[int64] `thrift:"3,optional"`
		} `thrift:"12,optional"`
	} `thrift:"3,optional"`
	CryptoMetadata format.ColumnCryptoMetaData `thrift:"8,optional"`
}

// readFooter reads the footer of file into t.
func (t *table) readFooter(file io.ReaderAt) error {
	raw, start, err := t.footerBytes(file)
	if err != nil {
		return err
	}
	t.SetVersion(raw)
	var footer metadata
	if err := decodeThrift(raw, &footer); err != nil {
		return t.badFooter(err)
	}
	if footer.EncryptionAlgorithm.Value != nil {
		return fault.File(t.Path, "the file is encrypted").WithRemedy("write it without encryption")
	}
	if t.leaves, err = leavesOf(footer.Schema); err != nil {
		return t.badFooter(err)
	}
	t.trees, t.Nested = nestedOf(footer.Schema)
	for i := range t.leaves {
		l := &t.leaves[i]
		l.NoNulls = l.maxRep == 0 && (l.maxDef == 0 || footer.countsNoNulls(i))
	}
	return t.readGroups(&footer, start)
}

// countsNoNulls reports whether the statistics of all row groups count no null in a leaf.
func (m *metadata) countsNoNulls(leaf int) bool {
	for g := range m.RowGroups {
		if columns := m.RowGroups[g].Columns; leaf >= len(columns) || columns[leaf].MetaData.Statistics.NullCount != thrift.New(int64(0)) {
			return false
		}
	}
	return true
}

// badFooter returns an error about the footer.
func (t *table) badFooter(err error) error {
	return fault.File(t.Path, "the footer is damaged: %w", fault.Damaged(err))
}

// footerBytes reads the footer and returns where it starts.
func (t *table) footerBytes(file io.ReaderAt) ([]byte, int64, error) {
	if t.stamp.Size < 4+footerTail {
		return nil, 0, fault.File(t.Path, "%d bytes are too few for a Parquet file", t.stamp.Size).WithKind(stream.Damaged).WithRemedy("make or fetch it again")
	}
	var head [4]byte
	var tail [footerTail]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, 0, err
	}
	if _, err := file.ReadAt(tail[:], t.stamp.Size-footerTail); err != nil {
		return nil, 0, err
	}
	switch {
	case string(head[:]) == "PARE" || string(tail[4:]) == "PARE":
		return nil, 0, fault.File(t.Path, "the file is encrypted").WithRemedy("write it without encryption")
	case string(head[:]) != "PAR1":
		return nil, 0, fault.File(t.Path, "it does not begin with PAR1 and is no Parquet file").WithRemedy("name its format, or make or fetch it again")
	case string(tail[4:]) != "PAR1":
		return nil, 0, fault.File(t.Path, "it does not end with PAR1; the file was cut or is still being written").
			WithKind(stream.Damaged).WithRemedy("wait, or make or fetch it again")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > t.stamp.Size-footerTail-4 || length > maxFooterBytes {
		return nil, 0, fault.File(t.Path, "a footer of %d bytes cannot be in a file of %d bytes (limit %d)", length, t.stamp.Size, int64(maxFooterBytes)).
			WithKind(stream.Damaged).WithRemedy("make or fetch the file again")
	}
	raw := make([]byte, length)
	start := t.stamp.Size - footerTail - length
	_, err := file.ReadAt(raw, start)
	return raw, start, err
}

var errThriftFields = errors.New("a field is missing, or is of another type than it should be")

// decodeThrift decodes the structure at the start of b after validating it. The result may refer to
// b.
func decodeThrift(b []byte, v any) error {
	n, err := thriftLength(b)
	if err != nil {
		return err
	}
	var protocol thrift.CompactProtocol
	if err := thrift.NewDecoder(protocol.NewReaderFromBytes(b[:n])).Decode(v); err != nil {
		return errThriftFields
	}
	return nil
}

// nameOf returns the name of a type, compression or encoding, or its number if it has no name here.
func nameOf[T interface {
	~int32
	fmt.Stringer
}](v T) string {
	if name := v.String(); !strings.Contains(name, "?") {
		return name
	}
	return strconv.Itoa(int(v))
}

// readGroups reads t.groups and checks them against the file and the schema. Pages must end before
// limit.
func (t *table) readGroups(footer *metadata, limit int64) error {
	t.groups = make([]rowGroup, 0, len(footer.RowGroups))
	for g := range footer.RowGroups {
		group := &footer.RowGroups[g]
		if err := t.addGroup(group, limit); err != nil {
			return t.badFooter(fault.New("row group %d: %w", g, err))
		}
	}
	if overflow, _ := bits.Mul64(uint64(t.Rows), 8*uint64(len(t.leaves))); overflow > 0 {
		return t.badFooter(fmt.Errorf("%d rows of %d columns cannot be", t.Rows, len(t.leaves)))
	}
	if t.Rows != footer.NumRows {
		return t.badFooter(fmt.Errorf("the row groups hold %d rows, the file should hold %d", t.Rows, footer.NumRows))
	}
	return nil
}

// addGroup appends one row group.
func (t *table) addGroup(group *groupMetadata, limit int64) error {
	if group.NumRows < 0 || t.Rows+group.NumRows < t.Rows {
		return fmt.Errorf("it claims %d rows", group.NumRows)
	}
	if len(group.Columns) != len(t.leaves) {
		return fmt.Errorf("it has %d columns, the schema %d", len(group.Columns), len(t.leaves))
	}
	added := rowGroup{first: t.Rows, rows: group.NumRows, chunks: make([]pageRange, len(t.leaves))}
	for i := range t.leaves {
		chunk, err := checkChunk(&group.Columns[i], &t.leaves[i], group.NumRows, limit)
		if err != nil {
			return fault.New("column %s: %w", quote.Name(t.leaves[i].Name), err)
		}
		added.chunks[i] = chunk
	}
	t.Rows += group.NumRows
	t.groups = append(t.groups, added)
	return nil
}

// chunkSlack is added to the length of a chunk: parquet-cpp before 1.2.9 did not count the header
// of the dictionary page.
const chunkSlack = 100

// refuse marks a leaf as unreadable, with a description of its values.
func (c *leafColumn) refuse(why string) {
	c.Kind, c.Why, c.Meaning, c.Type = column.Other, why, column.Plain, logical.Type{}
}

// checkChunk returns the range of the pages of a chunk. Pages must end before limit.
func checkChunk(chunk *chunkMetadata, c *leafColumn, rows, limit int64) (pageRange, error) {
	meta := &chunk.MetaData
	start := meta.DataPageOffset
	if meta.DictionaryPageOffset > 0 && meta.DictionaryPageOffset < start {
		start = meta.DictionaryPageOffset
	}
	size := meta.TotalCompressedSize
	switch {
	case chunk.FilePath != "":
		c.refuse("values that are in another file, " + quote.Name(chunk.FilePath))
		return pageRange{}, nil
	case chunk.CryptoMetadata.Value != nil:
		c.refuse("encrypted values")
		return pageRange{}, nil
	case meta.Type != c.physical:
		return pageRange{}, fmt.Errorf("it holds values of the type %s, the schema says %s", nameOf(meta.Type), nameOf(c.physical))
	case c.maxRep == 0 && meta.NumValues != rows:
		return pageRange{}, fmt.Errorf("it holds %d values for %d rows", meta.NumValues, rows)
	case meta.NumValues < rows:
		return pageRange{}, fmt.Errorf("it holds %d values for %d rows", meta.NumValues, rows)
	case meta.NumValues == 0: // its pages are never read
		return pageRange{}, nil
	case start < 4 || size < 0 || start > limit || size > limit-start:
		return pageRange{}, fmt.Errorf("its %d bytes at %d are not within the file", size, start)
	}
	if !knownCodec(meta.Codec) {
		c.refuse("values in the compression " + nameOf(meta.Codec) + ", which is not known (zstd, snappy, gzip, brotli and LZ4 are)")
	}
	end := min(start+size+chunkSlack, limit)
	unpacked := max(0, meta.TotalUncompressedSize)
	return pageRange{start: start, end: end, values: meta.NumValues, size: unpacked, codec: meta.Codec}, nil
}
