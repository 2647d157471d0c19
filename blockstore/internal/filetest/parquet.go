package filetest

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// ParquetFile writes a Parquet file of one row group with one column x of required doubles, in the
// given pages, and returns its path. change, if not nil, may damage the footer.
func ParquetFile(t testing.TB, rows int64, pages [][]byte, change func(*format.FileMetaData)) string {
	t.Helper()
	file := append([]byte("PAR1"), bytes.Join(pages, nil)...)
	size := int64(len(file) - 4)
	meta := format.FileMetaData{
		Version: 1, NumRows: rows,
		Schema: []format.SchemaElement{
			{Name: "root", NumChildren: thrift.New(int32(1))},
			{Name: "x", Type: thrift.New(format.Double), RepetitionType: thrift.New(format.Required)},
		},
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: format.Double, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{"x"}, NumValues: rows,
			TotalUncompressedSize: size, TotalCompressedSize: size, DataPageOffset: 4,
		}}}}},
	}
	if change != nil {
		change(&meta)
	}
	return string(file) + ParquetFooter(ParquetThrift(t, &meta))
}

// ParquetFooter returns the end of a Parquet file, after its pages.
func ParquetFooter(meta []byte) string {
	return string(binary.LittleEndian.AppendUint32(meta, uint32(len(meta)))) + "PAR1"
}

// ParquetThrift returns the serialised form of a structure in a Parquet file.
func ParquetThrift(t testing.TB, v any) []byte {
	t.Helper()
	var protocol thrift.CompactProtocol
	b, err := thrift.Marshal(&protocol, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ParquetDoubles returns the body of a plain page with the doubles 0, 1, ...
func ParquetDoubles(n int) (body []byte) {
	for i := range n {
		body = binary.LittleEndian.AppendUint64(body, math.Float64bits(float64(i)))
	}
	return body
}

// ParquetPage returns a data page of n plain values. change may damage its header, whose sizes then
// determine how much of body follows.
func ParquetPage(t testing.TB, n int, body []byte, change func(*format.PageHeader)) []byte {
	t.Helper()
	h := format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(n), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}),
	}
	if change != nil {
		change(&h)
	}
	return append(ParquetThrift(t, &h), body[:min(len(body), max(0, int(h.CompressedPageSize)))]...)
}
