package main

import (
	"bytes"
	"os"
	"unicode/utf16"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// foreign writes files of four rows as other programs write them, into the working folder.
func foreign() {
	moment := func(i int) parquet.Value { return parquet.Int96Value(deprecated.Int96{0, 0, uint32(2458850 + i)}) } // days of January 2020
	old := func(int) parquet.Value { return parquet.Int96Value(deprecated.Int96{0, 0, 1721426}) }                  // 0001-01-01
	bytes := func(i int) parquet.Value { return parquet.ByteArrayValue([]byte{0xff, byte(i)}) }
	square := func(i int) parquet.Value { return parquet.DoubleValue(float64(i * i)) }
	for path, data := range map[string][]byte{
		"int96.parquet": parquetWith("when", parquet.Int96Type, moment),
		"old.parquet":   parquetWith("when", parquet.Int96Type, old),
		"bytes.parquet": parquetWith("hash", parquet.ByteArrayType, bytes),
		"latin.parquet": parquetWith("caf\xe9", parquet.DoubleType, square),
		"cut.csv":       bigEndian("\ufeffa,b\n0,1\n1,2\n")[:25],
		"marked.csv":    bigEndian("\ufeffa,b\n0,1\n1,2\n2,0\n3,é\n"),
	} {
		must(os.WriteFile(path, data, 0o666))
	}
}

// must panics on an error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// parquetWith returns a Parquet file with a column a, 0 to 3, and another column.
func parquetWith(name string, kind parquet.Type, value func(i int) parquet.Value) []byte {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("rows", parquet.Group{"a": parquet.Leaf(parquet.DoubleType), name: parquet.Leaf(kind)}))
	for i := range 4 {
		_, err := w.WriteRows([]parquet.Row{{parquet.DoubleValue(float64(i)).Level(0, 0, 0), value(i).Level(0, 0, 1)}})
		must(err)
	}
	must(w.Close())
	return b.Bytes()
}

// bigEndian returns text in big-endian UTF-16.
func bigEndian(text string) (b []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit>>8), byte(unit))
	}
	return b
}
