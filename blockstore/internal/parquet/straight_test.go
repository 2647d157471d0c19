package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// oddColumns returns columns whose values lose bits in a wrong or double conversion.
func oddColumns() (all []testColumn) {
	specials := filetest.Specials()
	double := func(i int) float64 { return specials[i*i%len(specials)] }
	single := func(i int) float32 { return math.Float32frombits(uint32(i) * 0x9e3779b9) }
	wide := func(i int) int64 { return 1<<53 + int64(i%5) - int64(i%3)<<40 }
	for _, e := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary} {
		add := func(name string, node parquet.Node, value func(i int) parquet.Value) {
			all = append(all, testColumn{name: fmt.Sprint(name, e), node: parquet.Encoded(node, e), value: value})
		}
		add("double", parquet.Leaf(parquet.DoubleType), func(i int) parquet.Value { return parquet.DoubleValue(double(i)) })
		add("single", parquet.Leaf(parquet.FloatType), func(i int) parquet.Value { return parquet.FloatValue(single(i)) })
		add("wide", parquet.Int(64), func(i int) parquet.Value { return parquet.Int64Value(wide(i)) })
		add("short", parquet.Int(16), func(i int) parquet.Value { return parquet.Int32Value(int32(int16(i * 31))) })
	}
	return all
}

// Numbers converted directly from a page have the same bits as those converted through words.
func TestParquetDirectConversionKeepsBits(t *testing.T) {
	t.Parallel()
	const n = 2600
	for k, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Zstd, &parquet.Snappy} {
		for _, nullable := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "a.parquet")
			columns := append(numberColumns(), oddColumns()...)
			writeColumns(t, path, columns, n, nullable, parquet.Compression(codec), parquet.DataPageVersion(1+k%2), parquet.PageBufferSize(3000))
			tb, err := Open(t.Context(), nil, path)
			if err != nil {
				t.Fatal(err)
			}
			filetest.CheckStraight(t, tb)
			if k == 0 {
				filetest.CheckSlots(t, tb)
			}
		}
	}
}

// wordPage returns a page with the lowest size bytes of each word. change may modify its header.
func wordPage(t testing.TB, words []uint64, size int, change func(h *format.PageHeader)) []byte {
	var body []byte
	for _, w := range words {
		body = append(body, binary.LittleEndian.AppendUint64(nil, w)[:size]...)
	}
	return filetest.ParquetPage(t, len(words), body, change)
}

// dictionaryPage returns a dictionary page of words.
func dictionaryPage(t testing.TB, words []uint64, size int) []byte {
	return wordPage(t, words, size, func(h *format.PageHeader) {
		h.Type, h.DataPageHeader = format.DictionaryPage, thrift.Null[format.DataPageHeader]{}
		h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: int32(len(words)), Encoding: format.Plain})
	})
}

// indexPage returns a data page of n dictionary indices with 8 bits: i%of for value i.
func indexPage(t testing.TB, n, of int) []byte {
	body := append([]byte{8}, binary.AppendUvarint(nil, uint64(n+7)/8<<1|1)...)
	for i := range (n + 7) / 8 * 8 {
		body = append(body, byte(i%of))
	}
	return filetest.ParquetPage(t, n, body, func(h *format.PageHeader) { h.DataPageHeader.V.Encoding = format.RLEDictionary })
}

// A writer may abandon a growing dictionary: plain pages follow dictionary-encoded ones in a chunk.
func TestParquetDictionaryFallback(t *testing.T) {
	words := make([]uint64, 150)
	for i := range words {
		words[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	for i, v := range filetest.Specials() {
		words[i] = math.Float64bits(v)
	}
	for physical, size := range map[format.Type]int{format.Double: 8, format.Float: 4, format.Int64: 8, format.Int32: 4} {
		t.Run(physical.String(), func(t *testing.T) {
			pages := [][]byte{dictionaryPage(t, words, size), indexPage(t, 700, len(words)), indexPage(t, 1100, 40),
				wordPage(t, words, size, nil), indexPage(t, 50, 8), wordPage(t, words[40:], size, nil)}
			rows := int64(700 + 1100 + 150 + 50 + 110)
			path := handmadeFile(t, rows, pages, func(m *format.FileMetaData) {
				m.Schema[1].Type = thrift.New(physical)
				m.RowGroups[0].Columns[0].MetaData.Type = physical
			})
			tb, err := Open(t.Context(), nil, path)
			if err != nil {
				t.Fatal(err)
			}
			filetest.CheckStraight(t, tb)
			src, err := column.ChooseInexact(tb, []int{0}, nil, column.InexactRound)
			if err != nil {
				t.Fatal(err)
			}
			filetest.CheckGather(t, src)
		})
	}
}

// A dictionary entry that float64 cannot represent is an error in the rows that use it, and only there.
func TestParquetInexactDictionary(t *testing.T) {
	words := []uint64{1, 2, 1<<53 + 1, 3}
	change := func(m *format.FileMetaData) {
		m.Schema[1].Type = thrift.New(format.Int64)
		m.RowGroups[0].Columns[0].MetaData.Type = format.Int64
	}
	for of, want := range map[int]string{2: "", 4: "row 2 "} {
		path := handmadeFile(t, 1500, [][]byte{dictionaryPage(t, words, 8), indexPage(t, 1500, of)}, change)
		tb, err := Open(t.Context(), nil, path)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := filetest.Slurp(filetest.ChooseAll(t, tb), 100)
		if want != "" {
			filetest.WantError(t, err, path, want, "9007199254740993")
		} else if err != nil || !slices.Equal(rows[1499], []float64{2}) {
			t.Errorf("%v, last row %v", err, rows[len(rows)-1:])
		}
	}
}
