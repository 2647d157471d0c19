package blockstore

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

type (
	parquetMeta = format.FileMetaData
	parquetPage = format.PageHeader
)

// badParquet are Parquet files that are damaged in one of their structures.
func badParquet(t *testing.T) []badFile {
	var list []badFile
	for _, f := range badParquetFooters() {
		list = append(list, badFile{name: "a.parquet", what: f.what,
			content: filetest.ParquetFile(t, 3, [][]byte{filetest.ParquetPage(t, 3, filetest.ParquetDoubles(3), nil)}, f.change)})
	}
	for _, f := range badParquetPages(t) {
		o := Options{Columns: []string{"x"}}
		if f.keep {
			o = Options{Columns: []string{"n"}, Keep: []string{"x"}}
		}
		list = append(list, badFile{name: "a.parquet", what: f.what, content: filetest.ParquetFile(t, 6, f.pages, f.change), Options: o})
	}
	thriftFooter := func(meta string) string { return "PAR1" + filetest.ParquetFooter([]byte(meta)) }
	return append(list,
		badFile{name: "a.csv", what: "no Parquet file, as which it is to be read", content: strings.Repeat("1,2\n", 10), Options: Options{Format: "parquet"}},
		badFile{name: "a.parquet", what: "too few bytes", content: "PAR1PAR1"},
		badFile{name: "a.parquet", what: "no end", content: "PAR1" + strings.Repeat("x", 20)},
		badFile{name: "a.parquet", what: "encrypted, by its beginning", content: "PARE" + strings.Repeat("x", 20)},
		badFile{name: "a.parquet", what: "encrypted, by its end", content: "PAR1" + strings.Repeat("x", 20) + "PARE"},
		badFile{name: "a.parquet", what: "a footer longer than the file", content: "PAR1\x00\x00\x01\x00PAR1"},
		badFile{name: "a.parquet", what: "a footer that does not end", content: thriftFooter("\x15")},
		badFile{name: "a.parquet", what: "a footer without fields", content: thriftFooter("\x00")},
		badFile{name: "a.parquet", what: "a footer deep in itself", content: thriftFooter(strings.Repeat("\x1c", 100))},
		badFile{name: "a.parquet", what: "a field of no type in the footer", content: thriftFooter("\x1f")},
		badFile{name: "a.parquet", what: "a list of nothing in the footer", content: thriftFooter("\x19\x8c" + strings.Repeat("\x00", 30))},
		badFile{name: "a.parquet", what: "an endless integer in the footer", content: thriftFooter("\x15" + strings.Repeat("\xff", 30))},
		largePages(t),
	)
}

// parquetFooter is what spoils a footer.
type parquetFooter struct {
	what   string
	change func(*parquetMeta)
}

// badParquetFooters spoil the footer of a file of 3 rows.
func badParquetFooters() []parquetFooter {
	chunk := func(m *parquetMeta) *format.ColumnMetaData { return &m.RowGroups[0].Columns[0].MetaData }
	group := func(n int) format.SchemaElement {
		return format.SchemaElement{Name: "g", NumChildren: thrift.New(int32(n))}
	}
	return []parquetFooter{
		{"encrypted, by its footer", func(m *parquetMeta) { m.EncryptionAlgorithm.Value = &format.AesGcmV1{} }},
		{"no schema", func(m *parquetMeta) { m.Schema = m.Schema[:0] }},
		{"a schema with something behind it", func(m *parquetMeta) { m.Schema[0].NumChildren.V = 0 }},
		{"a schema that ends early", func(m *parquetMeta) { m.Schema[0].NumChildren.V = 2 }},
		{"a schema deep in itself", func(m *parquetMeta) {
			m.Schema = m.Schema[:1]
			for range 200 {
				m.Schema = append(m.Schema, group(1))
			}
		}},
		{"more rows than in the row groups", func(m *parquetMeta) { m.NumRows = 4 }},
		{"fewer than no rows", func(m *parquetMeta) { m.RowGroups[0].NumRows = -1 }},
		{"more rows than can be", func(m *parquetMeta) {
			m.NumRows, m.RowGroups[0].NumRows, chunk(m).NumValues = math.MaxInt64, math.MaxInt64, math.MaxInt64
		}},
		{"a row group without columns", func(m *parquetMeta) { m.RowGroups[0].Columns = nil }},
		{"a column of another type than in the schema", func(m *parquetMeta) { chunk(m).Type = format.Float }},
		{"a column of an unknown type", func(m *parquetMeta) { chunk(m).Type = 77 }},
		{"a column of other values than rows", func(m *parquetMeta) { chunk(m).NumValues = 2 }},
		{"a column of lists with fewer values than rows", func(m *parquetMeta) {
			m.Schema[1].RepetitionType = thrift.New(format.Repeated)
			chunk(m).NumValues = 2
		}},
		{"a column beyond the file", func(m *parquetMeta) { chunk(m).DataPageOffset = 1 << 40 }},
	}
}

// parquetPages are the pages of 6 rows of a column, and what becomes of the footer.
type parquetPages struct {
	what   string
	pages  [][]byte
	change func(*parquetMeta)
	keep   bool // it is text that is carried along
}

// of returns the footer change that gives column x another physical type and repetition.
func of(physical format.Type, repetition format.FieldRepetitionType) func(*parquetMeta) {
	return func(m *parquetMeta) {
		m.Schema[1].Type, m.Schema[1].RepetitionType = thrift.New(physical), thrift.New(repetition)
		m.RowGroups[0].Columns[0].MetaData.Type = physical
	}
}

// byCodec returns what says that column x is compressed.
func byCodec(codec format.CompressionCodec) func(*parquetMeta) {
	return func(m *parquetMeta) { m.RowGroups[0].Columns[0].MetaData.Codec = codec }
}

// lists returns what makes column x one of lists, of so many values in all.
func lists(values int64) func(*parquetMeta) {
	return func(m *parquetMeta) {
		of(format.Double, format.Repeated)(m)
		m.RowGroups[0].Columns[0].MetaData.NumValues = values
	}
}

// nullableLists returns what makes column x one of lists that may be null, of so many values in
// all, a null list counted as one.
func nullableLists(values int64) func(*parquetMeta) {
	return func(m *parquetMeta) {
		lists(values)(m)
		list := format.SchemaElement{Name: "x", RepetitionType: thrift.New(format.Optional), NumChildren: thrift.New(int32(1)), ConvertedType: thrift.New(deprecated.List)}
		m.Schema[1].RepetitionType = thrift.New(format.Required)
		m.Schema = []format.SchemaElement{m.Schema[0], list, {Name: "list", RepetitionType: thrift.New(format.Repeated), NumChildren: thrift.New(int32(1))}, m.Schema[1]}
	}
}

// beside returns what adds a column n of the doubles in the page at the end of the file.
func beside(page []byte) func(*parquetMeta) {
	return func(m *parquetMeta) {
		x := &m.RowGroups[0].Columns[0]
		x.MetaData.TotalCompressedSize -= int64(len(page))
		n := *x
		n.MetaData.DataPageOffset, n.MetaData.TotalCompressedSize = 4+x.MetaData.TotalCompressedSize, int64(len(page))
		m.Schema[0].NumChildren.V = 2
		m.Schema = append(m.Schema, m.Schema[1])
		m.Schema[2].Name = "n"
		m.RowGroups[0].Columns = append(m.RowGroups[0].Columns, n)
	}
}

// levels returns levels behind their length: runs of a value, each its length twice and the
// value, or anything else.
func levels(runs ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...)
}

// badParquetPages are pages of a column x of 6 rows that is wrong.
func badParquetPages(t *testing.T) []parquetPages {
	page := func(n int, body []byte, change func(*parquetPage)) []byte {
		return filetest.ParquetPage(t, n, body, change)
	}
	doubles := func(change func(*parquetPage)) [][]byte { return [][]byte{page(6, filetest.ParquetDoubles(6), change)} }
	encoded := func(e format.Encoding, body string) [][]byte {
		return [][]byte{page(6, []byte(body), func(h *parquetPage) { h.DataPageHeader.V.Encoding = e })}
	}
	second := func(change func(*format.DataPageHeaderV2)) func(*parquetPage) {
		return func(h *parquetPage) {
			h.Type, h.DataPageHeader = format.DataPageV2, thrift.Null[format.DataPageHeader]{}
			h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: 6, NumRows: 6, Encoding: format.Plain})
			change(&h.DataPageHeaderV2.V)
		}
	}
	dictionary := func(n int32, e format.Encoding) []byte {
		return page(6, filetest.ParquetDoubles(2), func(h *parquetPage) {
			h.Type, h.DataPageHeader = format.DictionaryPage, thrift.Null[format.DataPageHeader]{}
			h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: n, Encoding: e})
		})
	}
	good := dictionary(2, format.Plain)
	indexes := func(body string) []byte { return encoded(format.RLEDictionary, body)[0] }
	withLevels := func(n int, values int, runs ...[]byte) [][]byte {
		return [][]byte{page(n, append(bytes.Join(runs, nil), filetest.ParquetDoubles(values)...), nil)}
	}
	texts, integers := of(format.ByteArray, format.Required), of(format.Int64, format.Required)
	stamps := func(m *parquetMeta) { of(format.Int96, format.Required)(m) }
	kept := func(what string, e format.Encoding, body string) parquetPages {
		n := doubles(nil)[0]
		return parquetPages{what, [][]byte{encoded(e, body)[0], n}, func(m *parquetMeta) {
			beside(n)(m)
			texts(m)
		}, true}
	}
	return []parquetPages{
		{"a page whose header does not end", [][]byte{bytes.Repeat([]byte{0x15, 0xff}, 200)}, nil, false},
		{"a page whose header lacks fields", [][]byte{make([]byte, 300)}, nil, false},
		{"a page of fewer than no bytes", doubles(func(h *parquetPage) { h.CompressedPageSize = -1 }), nil, false},
		{"a page beyond its column", doubles(func(h *parquetPage) { h.CompressedPageSize = math.MaxInt32 }), nil, false},
		{"a page of more bytes than may be", doubles(func(h *parquetPage) { h.UncompressedPageSize = math.MaxInt32 }), nil, false},
		{"a page of no type", doubles(func(h *parquetPage) { h.Type = 77 }), nil, false},
		{"a page of fewer than no values", doubles(func(h *parquetPage) { h.DataPageHeader.V.NumValues = -1 }), nil, false},
		{"a page of too many values", doubles(func(h *parquetPage) { h.DataPageHeader.V.NumValues = 7 }), nil, false},
		{"a page too few", [][]byte{page(3, filetest.ParquetDoubles(3), nil)}, nil, false},
		{"a page that is shorter than its values", doubles(func(h *parquetPage) { h.CompressedPageSize, h.UncompressedPageSize = 40, 40 }), nil, false},
		{"a page of another size than in its header", doubles(func(h *parquetPage) { h.UncompressedPageSize++ }), nil, false},
		{"a page with another checksum", doubles(func(h *parquetPage) { h.CRC = 1 }), nil, false},
		{"a page of other rows than values", doubles(second(func(h *format.DataPageHeaderV2) { h.NumRows = 5 })), nil, false},
		{"a page of fewer than no levels", doubles(second(func(h *format.DataPageHeaderV2) { h.DefinitionLevelsByteLength = -1 })), nil, false},
		{"a page with more levels than bytes", doubles(second(func(h *format.DataPageHeaderV2) { h.DefinitionLevelsByteLength = 1000 })), nil, false},
		{"a compressed page that cannot hold so much", doubles(func(h *parquetPage) { h.UncompressedPageSize = 1 << 20 }), byCodec(format.Snappy), false},
		{"a page that is not compressed with snappy", doubles(nil), byCodec(format.Snappy), false},
		{"a page that is not compressed with gzip", doubles(nil), byCodec(format.Gzip), false},
		{"a page that is not compressed with zstd", doubles(nil), byCodec(format.Zstd), false},
		{"a page that is not compressed with brotli", doubles(nil), byCodec(format.Brotli), false},
		{"a page that is not compressed with LZ4", doubles(nil), byCodec(format.Lz4Raw), false},
		{"a column compressed with LZO", doubles(nil), byCodec(format.LZO), false},
		{"a column compressed with something unknown", doubles(nil), byCodec(77), false},
		{"a column in another file", doubles(nil), func(m *parquetMeta) { m.RowGroups[0].Columns[0].FilePath = "b.parquet" }, false},
		{"an encrypted column", doubles(nil), func(m *parquetMeta) {
			m.RowGroups[0].Columns[0].CryptoMetadata.Value = &format.EncryptionWithFooterKey{}
		}, false},
		{"a column of fixed sizes, of none", doubles(nil), of(format.FixedLenByteArray, format.Required), false},

		{"numbers in an encoding of text", encoded(format.DeltaByteArray, "xx"), nil, false},
		{"numbers in an unknown encoding", encoded(77, "xx"), nil, false},
		{"numbers by their bytes, of which some are missing", encoded(format.ByteStreamSplit, strings.Repeat("x", 47)), nil, false},
		{"numbers by their bytes, of which whole ones are missing", encoded(format.ByteStreamSplit, strings.Repeat("x", 40)), nil, false},
		{"differences without a header", encoded(format.DeltaBinaryPacked, "\xff"), integers, false},
		{"differences in blocks of none", encoded(format.DeltaBinaryPacked, "\x00\x00\x06\x00"), integers, false},
		{"differences of 65 bits", encoded(format.DeltaBinaryPacked, "\x80\x01\x04\x06\x00\x00\x41\x00\x00\x00"), integers, false},
		{"differences too few", encoded(format.DeltaBinaryPacked, "\x80\x01\x04\x02\x00\x00\x00\x00\x00\x00"), integers, false},
		{"differences that end in a block", encoded(format.DeltaBinaryPacked, "\x80\x01\x04\x06\x00\x00\x40"), integers, false},
		{"truth values too few", encoded(format.Plain, ""), of(format.Boolean, format.Required), false},
		{"truth values in runs that end early", encoded(format.RLE, "\x02\x00\x00\x00\x02\x01"), of(format.Boolean, format.Required), false},
		{"timestamps of 96 bits before 1677", encoded(format.Plain, strings.Repeat(strings.Repeat("\x00", 8)+"\x01\x00\x00\x00", 6)), stamps, false},
		{"timestamps of 96 bits before midnight", encoded(format.Plain, strings.Repeat("\xff", 72)), stamps, false},

		{"two dictionaries", [][]byte{good, good, indexes("\x01\x0c\x00")}, nil, false},
		{"a dictionary with another header", [][]byte{dictionary(-1, format.Plain)}, nil, false},
		{"a dictionary in another encoding", [][]byte{dictionary(2, format.DeltaBinaryPacked)}, nil, false},
		{"a dictionary of fewer values than it says", [][]byte{dictionary(3, format.Plain)}, nil, false},
		{"no dictionary", [][]byte{indexes("\x01\x0c\x00")}, nil, false},
		{"indexes beyond the dictionary", [][]byte{good, indexes("\x08\x0c\x07")}, nil, false},
		{"indexes of too many bits", [][]byte{good, indexes("\x21\x0c\x07")}, nil, false},
		{"indexes too few", [][]byte{good, indexes("\x01\x02\x00")}, nil, false},

		{"levels too high", withLevels(6, 6, levels(0x0c, 3)), of(format.Double, format.Optional), false},
		{"levels too few", withLevels(6, 6, levels(0x04, 1)), of(format.Double, format.Optional), false},
		{"levels longer than their page", withLevels(6, 6, []byte("\xff\xff\x00\x00")), of(format.Double, format.Optional), false},
		{"levels in an old encoding", [][]byte{page(6, filetest.ParquetDoubles(6), func(h *parquetPage) { h.DataPageHeader.V.DefinitionLevelEncoding = format.BitPacked })},
			of(format.Double, format.Optional), false},
		{"a list that begins in the middle", withLevels(12, 12, levels(4, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1), levels(0x18, 1)), lists(12), false},
		{"a list longer than the first", withLevels(12, 12, levels(2, 0, 2, 1, 2, 0, 2, 1, 2, 1, 2, 0, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1), levels(0x18, 1)), lists(12), false},
		{"a list shorter than the first", withLevels(12, 12, levels(2, 0, 2, 1, 2, 0, 2, 0, 2, 1, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1), levels(0x18, 1)), lists(12), false},
		{"lists too many", withLevels(12, 10, levels(2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 4, 0), levels(0x14, 2, 4, 0)), nullableLists(12), false},
		{"lists too few", withLevels(10, 10, levels(2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1), levels(0x14, 1)), lists(10), false},
		{"a list that is empty", withLevels(6, 5, levels(0x0c, 0), levels(0x0a, 1, 2, 0)), lists(6), false},
		{"a list of a million numbers", withLevels(2000000, 2, levels(2, 0, 0x80, 0x92, 0xf4, 0x01, 1), levels(0x80, 0x92, 0xf4, 0x01, 1)), lists(2000000), false},

		kept("strings longer than their page", format.Plain, "\xff\xff\x00\x00"),
		kept("strings in an encoding of numbers", format.ByteStreamSplit, "xx"),
		kept("strings of other lengths than their page", format.DeltaLengthByteArray, "\x80\x01\x04\x06\x40\x00\x00\x00\x00\x00x"),
		kept("strings of more lengths than their page", format.DeltaLengthByteArray, "\x80\x01\x04\x70\x40\x00\x00\x00\x00\x00x"),
		kept("strings that begin like none before", format.DeltaByteArray, "\x80\x01\x04\x06\x02\x00\x00\x00\x00\x00\x80\x01\x04\x06\x02\x00\x00\x00\x00\x00xxxxxx"),
		kept("strings without lengths", format.DeltaByteArray, "\xff"),
	}
}

// largePages is a small file of two columns that unpack to more than may be in memory.
func largePages(t *testing.T) badFile {
	const size = 200 << 20
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	body := w.EncodeAll(make([]byte, size), nil)
	page := filetest.ParquetPage(t, size/8, body, func(h *parquetPage) { h.UncompressedPageSize = size })
	content := filetest.ParquetFile(t, size/8, [][]byte{page}, func(m *parquetMeta) {
		byCodec(format.Zstd)(m)
		m.Schema[0].NumChildren.V = 2
		m.Schema = append(m.Schema, m.Schema[1])
		m.Schema[2].Name = "y"
		m.RowGroups[0].Columns = append(m.RowGroups[0].Columns, m.RowGroups[0].Columns[0])
	})
	return badFile{name: "a.parquet", what: "columns whose pages are too large together", content: content}
}
