package blockstore

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// typeCase is a logical type with two values, and a null between them.
type typeCase struct {
	name     string
	field    arrow.Field
	json     [2]string // as arrow/go reads them
	leaf     string    // of Parquet, as parquet-go prints it
	parquet  [2]string // values of Parquet, as parquet-go prints them
	text     [2]string // of CSV; of JSON lines too, in quotes if quoted is set
	quoted   bool
	numbers  [2]float64     // of a row; unset for types that are no numbers
	computed bool           // numbers are set
	after    arrow.DataType // the type after Parquet, if it differs
}

func typeCases() []typeCase {
	of := func(t arrow.DataType) arrow.Field { return arrow.Field{Type: t, Nullable: true} }
	uuid := of(&arrow.FixedSizeBinaryType{ByteWidth: 16})
	uuid.Metadata = arrow.MetadataFrom(map[string]string{"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": ""})
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	big38, small38 := "12345678901234567890123456.7890123456", "-0.0000000001"
	return []typeCase{
		{name: "bool", field: of(arrow.FixedWidthTypes.Boolean), json: [2]string{"true", "false"}, leaf: "BOOLEAN", parquet: [2]string{"true", "false"}, text: [2]string{"true", "false"}, numbers: [2]float64{1, 0}, computed: true},
		{name: "int8", field: of(arrow.PrimitiveTypes.Int8), json: [2]string{"-128", "127"}, leaf: "INT(8,true)", parquet: [2]string{"-128", "127"}, numbers: [2]float64{-128, 127}, computed: true},
		{name: "int16", field: of(arrow.PrimitiveTypes.Int16), json: [2]string{"-32768", "3"}, leaf: "INT(16,true)", parquet: [2]string{"-32768", "3"}, numbers: [2]float64{-32768, 3}, computed: true},
		{name: "int32", field: of(arrow.PrimitiveTypes.Int32), json: [2]string{"-2147483648", "3"}, leaf: "INT(32,true)", parquet: [2]string{"-2147483648", "3"}, numbers: [2]float64{-1 << 31, 3}, computed: true},
		{name: "int64", field: of(arrow.PrimitiveTypes.Int64), json: [2]string{"-9223372036854775807", "9007199254740993"}, leaf: "INT(64,true)", parquet: [2]string{"-9223372036854775807", "9007199254740993"}},
		{name: "uint8", field: of(arrow.PrimitiveTypes.Uint8), json: [2]string{"255", "0"}, leaf: "INT(8,false)", parquet: [2]string{"255", "0"}, numbers: [2]float64{255, 0}, computed: true},
		{name: "uint16", field: of(arrow.PrimitiveTypes.Uint16), json: [2]string{"65535", "0"}, leaf: "INT(16,false)", parquet: [2]string{"65535", "0"}, numbers: [2]float64{65535, 0}, computed: true},
		{name: "uint32", field: of(arrow.PrimitiveTypes.Uint32), json: [2]string{"4294967295", "0"}, leaf: "INT(32,false)", parquet: [2]string{"4294967295", "0"}, numbers: [2]float64{1<<32 - 1, 0}, computed: true},
		{name: "uint64", field: of(arrow.PrimitiveTypes.Uint64), json: [2]string{"18446744073709551615", "1"}, leaf: "INT(64,false)", parquet: [2]string{"18446744073709551615", "1"}},
		{name: "float32", field: of(arrow.PrimitiveTypes.Float32), json: [2]string{"0.1", "-3e38"}, leaf: "FLOAT", parquet: [2]string{"0.1", "-3e+38"}, text: [2]string{"0.1", "-3e+38"}, numbers: [2]float64{float64(float32(.1)), float64(float32(-3e38))}, computed: true},
		{name: "float64", field: of(arrow.PrimitiveTypes.Float64), json: [2]string{"0.1", "-1e300"}, leaf: "DOUBLE", parquet: [2]string{"0.1", "-1e+300"}, numbers: [2]float64{.1, -1e300}, computed: true},
		{name: "decimal(9,2)", field: of(&arrow.Decimal128Type{Precision: 9, Scale: 2}), json: [2]string{`"1234567.89"`, `"-0.01"`}, leaf: "DECIMAL(9,2)", text: [2]string{"1234567.89", "-0.01"}, numbers: [2]float64{1234567.89, -.01}, computed: true},
		{name: "decimal(18,4)", field: of(&arrow.Decimal128Type{Precision: 18, Scale: 4}), json: [2]string{`"12345678901234.5678"`, `"-0.0001"`}, leaf: "DECIMAL(18,4)", text: [2]string{"12345678901234.5678", "-0.0001"}, numbers: [2]float64{12345678901234.5678, -.0001}, computed: true},
		{name: "decimal(38,10)", field: of(&arrow.Decimal128Type{Precision: 38, Scale: 10}), json: [2]string{`"` + big38 + `"`, `"` + small38 + `"`}, leaf: "DECIMAL(38,10)", text: [2]string{big38, small38}, numbers: [2]float64{12345678901234567890123456.7890123456, -1e-10}, computed: true},
		{name: "decimal(60,0)", field: of(&arrow.Decimal256Type{Precision: 60}), json: [2]string{`"123456789012345678901234567890123456789012345678901234567890"`, `"-1"`}, leaf: "DECIMAL(60,0)", text: [2]string{"123456789012345678901234567890123456789012345678901234567890", "-1"}},
		{name: "date", field: of(arrow.FixedWidthTypes.Date32), json: [2]string{`"2024-02-29"`, `"1902-03-04"`}, leaf: "DATE", parquet: [2]string{"19782", "-24775"}, text: [2]string{"2024-02-29", "1902-03-04"}, quoted: true},
		{name: "date(ms)", field: of(arrow.FixedWidthTypes.Date64), json: [2]string{`"2024-02-29"`, `"1902-03-04"`}, leaf: "DATE", parquet: [2]string{"19782", "-24775"}, text: [2]string{"2024-02-29", "1902-03-04"}, quoted: true, after: arrow.FixedWidthTypes.Date32},
		{name: "time(s)", field: of(&arrow.Time32Type{Unit: arrow.Second}), json: [2]string{`"23:59:59"`, `"00:00:01"`}, leaf: "TIME(isAdjustedToUTC=false,unit=MILLIS)", parquet: [2]string{"86399000", "1000"}, text: [2]string{"23:59:59", "00:00:01"}, quoted: true, after: &arrow.Time32Type{Unit: arrow.Millisecond}},
		{name: "time(us)", field: of(&arrow.Time64Type{Unit: arrow.Microsecond}), json: [2]string{`"23:59:59.999999"`, `"00:00:00.5"`}, leaf: "TIME(isAdjustedToUTC=false,unit=MICROS)", parquet: [2]string{"86399999999", "500000"}, text: [2]string{"23:59:59.999999", "00:00:00.5"}, quoted: true},
		{name: "timestamp(s)", field: of(&arrow.TimestampType{Unit: arrow.Second}), json: [2]string{`"2024-02-29 12:34:56"`, `"1902-03-04 00:00:01"`}, leaf: "TIMESTAMP(isAdjustedToUTC=false,unit=MILLIS)", parquet: [2]string{"1709210096000", "-2140559999000"}, text: [2]string{"2024-02-29T12:34:56", "1902-03-04T00:00:01"}, quoted: true, after: &arrow.TimestampType{Unit: arrow.Millisecond}},
		{name: "timestamp(ms)", field: of(&arrow.TimestampType{Unit: arrow.Millisecond}), json: [2]string{`"2024-02-29 12:34:56.789"`, `"1902-03-04 00:00:01"`}, leaf: "TIMESTAMP(isAdjustedToUTC=false,unit=MILLIS)", parquet: [2]string{"1709210096789", "-2140559999000"}, text: [2]string{"2024-02-29T12:34:56.789", "1902-03-04T00:00:01"}, quoted: true},
		{name: "timestamp(us,UTC)", field: of(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}), json: [2]string{`"2024-02-29T12:34:56.789012Z"`, `"1902-03-04T00:00:01Z"`}, leaf: "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)", parquet: [2]string{"1709210096789012", "-2140559999000000"}, text: [2]string{"2024-02-29T12:34:56.789012Z", "1902-03-04T00:00:01Z"}, quoted: true},
		{name: "timestamp(ns)", field: of(&arrow.TimestampType{Unit: arrow.Nanosecond}), json: [2]string{`"2024-02-29 12:34:56.789012345"`, `"1969-12-31 23:59:59.999999999"`}, leaf: "TIMESTAMP(isAdjustedToUTC=false,unit=NANOS)", parquet: [2]string{"1709210096789012345", "-1"}, text: [2]string{"2024-02-29T12:34:56.789012345", "1969-12-31T23:59:59.999999999"}, quoted: true},
		{name: "duration(ms)", field: of(&arrow.DurationType{Unit: arrow.Millisecond}), json: [2]string{`"1500ms"`, `"-250ms"`}, leaf: "INT(64,true)", parquet: [2]string{"1500", "-250"}, text: [2]string{"PT1.5S", "-PT0.25S"}, quoted: true, after: arrow.PrimitiveTypes.Int64},
		{name: "text", field: of(arrow.BinaryTypes.String), json: [2]string{`"é"`, `"007"`}, leaf: "STRING", parquet: [2]string{"é", "007"}, text: [2]string{"é", "007"}, quoted: true},
		{name: "bytes", field: of(arrow.BinaryTypes.Binary), json: [2]string{`"AP8="`, `"YWI="`}, leaf: "BYTE_ARRAY", parquet: [2]string{"\x00\xff", "ab"}, text: [2]string{"00ff", "6162"}, quoted: true},
		{name: "bytes(3)", field: of(&arrow.FixedSizeBinaryType{ByteWidth: 3}), json: [2]string{`"AP8A"`, `"YWJj"`}, leaf: "FIXED_LEN_BYTE_ARRAY(3)", parquet: [2]string{"\x00\xff\x00", "abc"}, text: [2]string{"00ff00", "616263"}, quoted: true},
		{name: "uuid", field: uuid, json: [2]string{`"AAECAwQFBgcICQoLDA0ODw=="`, `"/////////////////////w=="`}, leaf: "UUID", text: [2]string{"00010203-0405-0607-0809-0a0b0c0d0e0f", "ffffffff-ffff-ffff-ffff-ffffffffffff"}, quoted: true},
		{name: "dictionary", field: of(words), json: [2]string{`"b"`, `"a"`}, leaf: "STRING", parquet: [2]string{"b", "a"}, text: [2]string{"b", "a"}, quoted: true, after: arrow.BinaryTypes.String},
	}
}

// typesSchema returns a schema with a number, followed by the columns of all cases.
func typesSchema(cases []typeCase, after bool) *arrow.Schema {
	fields := []arrow.Field{{Name: "first", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}
	for _, c := range cases {
		f := c.field
		f.Name = c.name
		if after && c.after != nil {
			f.Type = c.after
		}
		fields = append(fields, f)
	}
	return arrow.NewSchema(fields, nil)
}

// recordOf returns the rows of all cases, with values given as JSON.
func recordOf(t *testing.T, schema *arrow.Schema, json func(c typeCase) [2]string, cases []typeCase) arrow.Record {
	t.Helper()
	rows := []string{`"first": 1`, `"first": null`, `"first": 3`}
	for _, c := range cases {
		values := json(c)
		for i, v := range []string{values[0], "null", values[1]} {
			rows[i] += fmt.Sprintf(", %q: %s", c.name, v)
		}
	}
	text := "[{" + strings.Join(rows, "}, {") + "}]"
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text), array.WithUseNumber())
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func writeRecord(t *testing.T, path string, record arrow.Record) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(record.Schema()))
	if err == nil {
		err = w.Write(record)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readRecord reads the only record of an Arrow file by arrow/go.
func readRecord(t *testing.T, path string) arrow.Record {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.RecordAt(0)
	if err != nil || r.NumRecords() != 1 {
		t.Fatal(err, r.NumRecords())
	}
	return record
}

// copyAs copies the columns selected by o from one file to another.
func copyAs(t *testing.T, in, out string, o Options) {
	t.Helper()
	src, err := Open(t.Context(), []string{in}, o)
	if err != nil {
		t.Fatal(err)
	}
	copySource(t, src, out)
}

// copySource writes the rows of a source to a file.
func copySource(t *testing.T, src stream.Source, out string) {
	t.Helper()
	info := src.Info()
	w, err := Create(out, Schema{Columns: info.Columns, Kept: info.Kept, Rows: info.Rows})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort() // does nothing after Commit
	r, err := src.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := &stream.Batch{X: matrix.New(2, len(info.Columns)), Kept: info.NewKept()}
	for err == nil {
		var n int
		n, err = stream.ReadFull(r, b)
		if bad := w.Write(b, n); bad != nil {
			t.Fatal(bad)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// sameRecord compares records column by column, types included.
func sameRecord(t *testing.T, what string, want, got arrow.Record) {
	t.Helper()
	if want.NumCols() != got.NumCols() || want.NumRows() != got.NumRows() {
		t.Fatalf("%s: %d columns and %d rows, want %d and %d", what, got.NumCols(), got.NumRows(), want.NumCols(), want.NumRows())
	}
	for i := range int(want.NumCols()) {
		a, b := want.Schema().Field(i), got.Schema().Field(i)
		extension := func(f arrow.Field) string { name, _ := f.Metadata.GetValue("ARROW:extension:name"); return name }
		if a.Name != b.Name || !arrow.TypeEqual(a.Type, b.Type) || extension(a) != extension(b) || !array.Equal(want.Column(i), got.Column(i)) {
			t.Errorf("%s: column %s %s %v\nwant %s %s %v", what, b.Name, b.Type, got.Column(i), a.Name, a.Type, want.Column(i))
		}
	}
}

// Every logical type survives every format as a kept column. arrow/go and parquet-go are the references.
func TestTypesSurviveEveryFormat(t *testing.T) {
	t.Parallel()
	cases, dir := typeCases(), t.TempDir()
	schema := typesSchema(cases, false)
	want := recordOf(t, schema, func(c typeCase) [2]string { return c.json }, cases)
	in := filepath.Join(dir, "in.arrow")
	writeRecord(t, in, want)
	var names []string
	for _, c := range cases {
		names = append(names, c.name)
	}
	for how, o := range map[string]Options{"kept": {Columns: []string{"first"}, Keep: names}, "converted": {Carry: CarryAll, NoNumbers: true}} {
		t.Run(how, func(t *testing.T) {
			path := func(name string) string { return filepath.Join(dir, how+name) }
			back := func(from, name string) arrow.Record {
				copyAs(t, path(from), path(name), o)
				return readRecord(t, path(name))
			}
			copyAs(t, in, path("a.arrow"), o)
			compare := want
			if how == "kept" { // a null in a feature is NaN
				compare = want.NewSlice(0, 1)
			}
			first := func(r arrow.Record) arrow.Record { return r.NewSlice(0, compare.NumRows()) }
			sameRecord(t, "Arrow", compare, first(readRecord(t, path("a.arrow"))))
			copyAs(t, path("a.arrow"), path("a.nys"), o)
			sameRecord(t, "store", compare, first(back("a.nys", "b.arrow")))
			copyAs(t, path("a.nys"), path("a.parquet"), o)
			wantParquet(t, path("a.parquet"), cases)
			after := recordOf(t, typesSchema(cases, true), afterParquet, cases).NewSlice(0, compare.NumRows())
			sameRecord(t, "Parquet", after, first(back("a.parquet", "c.arrow")))
			copyAs(t, in, path("a.csv"), o)
			wantText(t, path("a.csv"), cases)
			copyAs(t, in, path("a.jsonl"), o)
			wantText(t, path("a.jsonl"), cases)
		})
	}
}

// afterParquet returns the values after a copy through Parquet, which lacks durations.
func afterParquet(c typeCase) [2]string {
	if strings.HasPrefix(c.name, "duration") {
		return c.parquet
	}
	return c.json
}

// threeRows reads a file of three rows with parquet-go.
func threeRows(t *testing.T, path string) (*parquet.Schema, []parquet.Row) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]parquet.Row, 3)
	r := file.RowGroups()[0].Rows()
	defer r.Close()
	if n, err := r.ReadRows(rows); n != 3 {
		t.Fatal(n, err)
	}
	for i := range rows { // values end with the reader
		rows[i] = rows[i].Clone()
	}
	return file.Schema(), rows
}

// wantParquet compares the types and values of a file with parquet-go.
func wantParquet(t *testing.T, path string, cases []typeCase) {
	t.Helper()
	schema, rows := threeRows(t, path)
	for i, c := range cases {
		field := schema.Fields()[i+1]
		if field.Name() != c.name || field.Type().String() != c.leaf {
			t.Errorf("%s: %s %s", c.name, field.Name(), field.Type())
		}
		if !rows[1][i+1].IsNull() {
			t.Errorf("%s: %v is not null", c.name, rows[1][i+1])
		}
		got := [2]string{valueText(c, rows[0][i+1]), valueText(c, rows[2][i+1])}
		want := c.parquet
		if want[0] == "" {
			want = c.text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// valueText prints a value of Parquet, a decimal with its point.
func valueText(c typeCase, v parquet.Value) string {
	d, ok := c.field.Type.(arrow.DecimalType)
	switch {
	case c.name == "uint64":
		return fmt.Sprint(v.Uint64())
	case c.name == "uint32":
		return fmt.Sprint(v.Uint32())
	case c.name == "uuid":
		h := hex.EncodeToString(v.ByteArray())
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	case v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray && !ok:
		return string(v.ByteArray())
	case !ok:
		return v.String()
	}
	unscaled := new(big.Int)
	if v.Kind() == parquet.FixedLenByteArray {
		b := v.ByteArray()
		if unscaled.SetBytes(b); b[0]&0x80 != 0 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	} else {
		unscaled.SetInt64(v.Int64())
		if v.Kind() == parquet.Int32 {
			unscaled.SetInt64(int64(v.Int32()))
		}
	}
	r := new(big.Rat).SetFrac(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.GetScale())), nil))
	return r.FloatString(int(d.GetScale()))
}

// wantText compares a text file with the expected lines.
func wantText(t *testing.T, path string, cases []typeCase) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(got), "\n")
	for row, value := range map[int]int{0: 0, 2: 1} {
		var cells []string
		for _, c := range cases {
			text := c.text[value]
			if text == "" {
				text = strings.Trim(c.json[value], `"`)
				if strings.HasSuffix(c.json[value], "e300") {
					text = "-1e+300"
				}
			}
			if strings.HasSuffix(path, ".jsonl") {
				if c.quoted {
					text = `"` + text + `"`
				}
				text = fmt.Sprintf("%q:%s", c.name, text)
			}
			cells = append(cells, text)
		}
		line := lines[row]
		if strings.HasSuffix(path, ".csv") {
			line = lines[row+1]
		}
		if want := strings.Join(cells, ","); !strings.Contains(line, want) {
			t.Errorf("%s, row %d:\n%s\nwant\n%s", path, row, line, want)
		}
	}
}

// Features of every numeric type have the same values from every format.
func TestComputedTypes(t *testing.T) {
	t.Parallel()
	cases, dir := typeCases(), t.TempDir()
	in := filepath.Join(dir, "in.arrow")
	writeRecord(t, in, recordOf(t, typesSchema(cases, false), func(c typeCase) [2]string { return c.json }, cases))
	var names []string
	var want [2][]float64
	for _, c := range cases {
		if c.computed {
			names = append(names, c.name)
			want[0], want[1] = append(want[0], c.numbers[0]), append(want[1], c.numbers[1])
		}
	}
	for _, format := range []string{".arrow", ".parquet", ".nys", ".csv", ".jsonl"} {
		out := filepath.Join(dir, "out"+format)
		copyAs(t, in, out, Options{Carry: CarryAll, NoNumbers: true})
		src, err := Open(t.Context(), []string{out}, Options{Columns: names, Inexact: InexactRound})
		if err != nil {
			t.Fatal(err)
		}
		b := filetest.MustRead(t, src, 2)
		for k, row := range map[int]int{0: 0, 1: 2} {
			got := matrix.Row(b.X, row)
			for i := range names {
				if strings.HasPrefix(names[i], "float32") && format > ".c" && format < ".k" && format != ".arrow" {
					got[i] = float64(float32(got[i])) // the shortest text that brings back a float32
				}
			}
			if diff := cmp.Diff(want[k], got); diff != "" {
				t.Errorf("%s: %s", format, diff)
			}
		}
	}
}
