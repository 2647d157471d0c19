package text

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

func TestCSVKnownAnswers(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name    string
		text    string
		options CSVOptions
		columns []string // of numbers
		rows    [][]float64
		texts   []string // of the first text column
	}{
		{name: "header", text: "a,b\n1,2\n3,4\n", columns: []string{"a", "b"}, rows: [][]float64{{1, 2}, {3, 4}}},
		{name: "no header", text: "1,2\n3,4", columns: []string{"x0", "x1"}, rows: [][]float64{{1, 2}, {3, 4}}},
		{name: "numbered header", text: "0,1,class\n5,6,1\n7,8,0\n", columns: []string{"0", "1", "class"}, rows: [][]float64{{5, 6, 1}, {7, 8, 0}}},
		{name: "first column is text", text: "M,1,2\nF,3,4\n", columns: []string{"x1", "x2"}, rows: [][]float64{{1, 2}, {3, 4}}, texts: []string{"M", "F"}},
		{name: "text in the first row only, among fractions", text: "0.5,oops\n1,2\n", columns: []string{"x0"}, rows: [][]float64{{0.5}, {1}}, texts: []string{"oops", "2"}},
		{name: "header refused", text: "a\nb\n", options: CSVOptions{NoHeader: true}, rows: [][]float64{{}, {}}, texts: []string{"a", "b"}},
		{name: "header of numbers", text: "2019,2020\n1,2\n", options: CSVOptions{Header: true}, columns: []string{"2019", "2020"}, rows: [][]float64{{1, 2}}},
		{name: "comments", text: "# by x; a, b\na;b\n1;2\n #3;4\n5;6\n#", options: CSVOptions{Comment: '#'}, columns: []string{"a", "b"}, rows: [][]float64{{1, 2}, {5, 6}}},
		{name: "title", text: "Sales; all regions\n\"\na,b\n1,2\n3,4\n", options: CSVOptions{Skip: 2}, columns: []string{"a", "b"}, rows: [][]float64{{1, 2}, {3, 4}}},
		{name: "semicolon", text: "a;b\n1.5;2\n", columns: []string{"a", "b"}, rows: [][]float64{{1.5, 2}}},
		{name: "tab", text: "a b\tc\n1\t2\n\t\n", columns: []string{"a b", "c"}, rows: [][]float64{{1, 2}, {math.NaN(), math.NaN()}}},
		{name: "bar", text: "1|2\n3|4\n", columns: []string{"x0", "x1"}, rows: [][]float64{{1, 2}, {3, 4}}},
		{name: "delimiter given", text: "7:1,5\n8:2,5\n", options: CSVOptions{Delimiter: ':'}, columns: []string{"x0"}, rows: [][]float64{{7}, {8}}, texts: []string{"1,5", "2,5"}},
		{name: "no delimiter", text: "New York\n\"a, b\"\nc,d;\te|\r\n\"two\nlines\"\n", options: CSVOptions{Delimiter: WholeLine, NoHeader: true}, rows: [][]float64{{}, {}, {}, {}}, texts: []string{"New York", "a, b", "c,d;\te|", "two\nlines"}},
		{name: "numbers without a delimiter", text: "v\n1\n2.5\n", options: CSVOptions{Delimiter: WholeLine}, columns: []string{"v"}, rows: [][]float64{{1}, {2.5}}},
		{name: "blanks", text: "  1   2.5 \n\t3\t4  \r\n   \n\n", columns: []string{"x0", "x1"}, rows: [][]float64{{1, 2.5}, {3, 4}}},
		{name: "blanks with a header", text: "1 2 class\n5 6 0\n7 8 1\n", columns: []string{"1", "2", "class"}, rows: [][]float64{{5, 6, 0}, {7, 8, 1}}},
		{name: "quoted blanks", text: "\"a b\" c\n1 2\n", columns: []string{"a b", "c"}, rows: [][]float64{{1, 2}}},
		{name: "byte order mark and CRLF", text: "\ufeffa,b\r\n1,2\r\n\r\n3,4\r\n", columns: []string{"a", "b"}, rows: [][]float64{{1, 2}, {3, 4}}},
		{name: "byte order mark before a number", text: "\ufeff1,2\n", columns: []string{"x0", "x1"}, rows: [][]float64{{1, 2}}},
		{name: "missing", text: "a,b,c\n,NA,1\nNaN,null,?\n2, ,3\n", columns: []string{"a", "b", "c"}, rows: [][]float64{{math.NaN(), math.NaN(), 1}, {math.NaN(), math.NaN(), math.NaN()}, {2, math.NaN(), 3}}},
		{name: "infinite", text: "inf,-Infinity\n", columns: []string{"x0", "x1"}, rows: [][]float64{{inf, -inf}}},
		{name: "hexadecimal and underscores are text", text: "1,0x10\n2,1_000\n", columns: []string{"x0"}, rows: [][]float64{{1}, {2}}, texts: []string{"0x10", "1_000"}},
		{name: "quotes", text: "name,v\n\"a \"\"b\"\", c\",\"1\"\n\"two\r\nlines\",2\n5\" pipe,3\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}, {3}}, texts: []string{"a \"b\", c", "two\r\nlines", `5" pipe`}},
		{name: "kept blanks in quotes", text: "n,v\n\" x \",1\n", columns: []string{"v"}, rows: [][]float64{{1}}, texts: []string{" x "}},
		{name: "blanks around text are kept, not those around numbers and names", text: " n, v \n  x , 1 \r\n NA , 2\r\n  ,3\r\n\tz\t, 4 \n", columns: []string{"v"}, rows: [][]float64{{1}, {2}, {3}, {4}}, texts: []string{"  x ", " NA ", "  ", "\tz\t"}},
		{name: "quotes between tabs", text: "n\tv\n\"a \"\"b\"\"\"\t\"1\"\n\"c\"\t2\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}}, texts: []string{`a "b"`, "c"}},
		{name: "quotes between tabs that hold lines and tabs together", text: "n\tv\n\"a\tb\"\t1\n\"c\nd\"\t2\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}}, texts: []string{"a\tb", "c\nd"}},
		{name: "a stray quote between tabs", text: "n\tv\n\"a\t1\nb\t2\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}}, texts: []string{`"a`, "b"}},
		{name: "two stray quotes between tabs", text: "n\tv\n\"a\t1\nb\t2\n\"\t3\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}, {3}}, texts: []string{`"a`, "b", `"`}},
		{name: "badly quoted cells between tabs", text: "n\tv\n\"a\" b\t1\n5\" c\t2\n\"d\"\t3\r\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}, {3}}, texts: []string{`"a" b`, `5" c`, `"d"`}},
		{name: "nameless column", text: ",b\n0,1\n", columns: []string{"x0", "b"}, rows: [][]float64{{0, 1}}},
		{name: "header alone", text: "a,b\n", columns: []string{"a", "b"}},
		{name: "one column", text: "v\n1\n2\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}}},
		{name: "header of booleans", text: "true,False,n\n1,x,2\n3,y,4\n", columns: []string{"true", "n"}, rows: [][]float64{{1, 2}, {3, 4}}, texts: []string{"x", "y"}},
		{name: "no header above booleans", text: "true,x\nfalse,y\n", columns: []string{"x0"}, rows: [][]float64{{1}, {0}}, texts: []string{"x", "y"}},
		{name: "blank lines of one column", text: "\nv\n\n1\n\n \n2\n\n\n", columns: []string{"v"}, rows: [][]float64{{math.NaN()}, {1}, {math.NaN()}, {math.NaN()}, {2}}},
		{name: "blank lines of one column between blanks", text: "v\n1\n\n2\n", options: CSVOptions{Delimiter: WhiteSpace}, columns: []string{"v"}, rows: [][]float64{{1}, {math.NaN()}, {2}}},
		{name: "decimal commas of two columns", text: "a;b\n1,5;2,5\n3,5;4,5\n", rows: [][]float64{{}, {}}, texts: []string{"1,5", "3,5"}},
		{name: "decimal commas of three columns", text: "a;b;c\n1,5;2,5;3,5\n3,5;4,5;5,5\n", rows: [][]float64{{}, {}}, texts: []string{"1,5", "3,5"}},
		{name: "blanks between tabs", text: "New York\t1\nLos Angeles\t2\n", columns: []string{"x1"}, rows: [][]float64{{1}, {2}}, texts: []string{"New York", "Los Angeles"}},
		{name: "blanks and numbers between tabs", text: "n\tv\nNew York 5\t1\nLos Angeles 6\t2\n", columns: []string{"v"}, rows: [][]float64{{1}, {2}}, texts: []string{"New York 5", "Los Angeles 6"}},
		{name: "numbers between blanks and tabs", text: "1 2\t3\n4 5\t6\n", columns: []string{"x0", "x1", "x2"}, rows: [][]float64{{1, 2, 3}, {4, 5, 6}}},
		{name: "nulls of databases", text: "v,s\n\\N,\\N\n1,x\n", columns: []string{"v"}, rows: [][]float64{{math.NaN()}, {1}}, texts: []string{`\N`, "x"}},
		{name: "blanks before names", text: "a,\" b\",\t\"c\",\u00a0d\n1,2,3,4\n", columns: []string{"a", "b", "c", "d"}, rows: [][]float64{{1, 2, 3, 4}}},
		{name: "negative zero", text: "-0,1\n", columns: []string{"x0", "x1"}, rows: [][]float64{{math.Copysign(0, -1), 1}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tb, err := openCSV(context.Background(), filetest.TempFile(t, "a.csv", test.text), test.options)
			if err != nil {
				t.Fatal(err)
			}
			src := filetest.ChooseAll(t, tb)
			if diff := cmp.Diff(test.columns, src.Info().Columns); diff != "" {
				t.Errorf("columns: %s", diff)
			}
			rows, kept, err := filetest.Slurp(src, 2)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.rows, rows, filetest.SameBits, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("rows: %s", diff)
			}
			if len(test.texts) > 0 && !cmp.Equal(test.texts, kept[0].Strings) {
				t.Errorf("texts: %q, want %q", kept[0].Strings, test.texts)
			}
			filetest.CheckGather(t, src)
			filetest.CheckSlots(t, tb)
		})
	}
}

func TestCSVRefuses(t *testing.T) {
	tests := []struct{ name, text, line string }{
		{"empty", "", "neither a header nor rows"},
		{"blank", "\n \n\r\n", "neither a header nor rows"},
		{"ragged", "a,b\n1,2\n\n1,2,3\n", "line 4: 3 cells, but the first line has 2"},
		{"open quote", "a,b\n1,\"2\n3,4\n5,6\n", "line 2: a quoted cell that begins here is never closed"},
		{"quotes that never match", "a,b\n\"x,5\"y\n", "line 2"},
		{"text after a quote", "a,b\n\"x\"y,1\n", "line 2: text follows a closing quote"},
		{"text after a quote, and lines that tabs cut into different numbers of cells", "a\tb\n\"x\"y\t1\n1\t2\t3\n", "line 2: text follows a closing quote"},
		{"UTF-16", "\xff\xfea\x00,\x00", "UTF-16"},
		{"binary", "\x01\x00\x02", "binary"},
		{"too wide", strings.Repeat(",", column.Max) + "\n", "1000001 columns"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filetest.TempFile(t, "a.csv", test.text)
			_, err := openCSV(context.Background(), path, CSVOptions{})
			filetest.WantError(t, err, path, test.line)
			var data *stream.DataError
			if !errors.As(err, &data) {
				t.Errorf("%T is no DataError", err)
			}
		})
	}
	_, err := openCSV(context.Background(), filetest.TempFile(t, "a.csv", "1\n"), CSVOptions{Delimiter: '…'})
	filetest.WantError(t, err, "delimiter")
}

// readColumns reads columns of a table to the end, or to an error.
func readColumns(tb column.Table, numeric ...int) (rows [][]float64, err error) {
	src, err := column.Choose(tb, numeric, nil)
	if err == nil {
		rows, _, err = filetest.Slurp(src, 5)
	}
	return rows, err
}

func TestCSVInexactInteger(t *testing.T) {
	path := filetest.TempFile(t, "a.csv", "id,v\n9007199254740992,1\n9007199254740993,2\n")
	tb, err := openCSV(context.Background(), path, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = readColumns(tb, 0, 1)
	filetest.WantError(t, err, path, "row 1", `"id"`, "9007199254740993", "line 3")
	src, err := column.Choose(tb, []int{1}, []int{0}) // kept, it is exact
	if err != nil {
		t.Fatal(err)
	}
	_, kept, err := filetest.Slurp(src, 5)
	if err != nil || !cmp.Equal(kept[0].Ints, []int64{9007199254740992, 9007199254740993}) {
		t.Errorf("kept %v, %v", kept, err)
	}
}

func TestCSVKeptNulls(t *testing.T) {
	tb, err := openCSV(context.Background(), filetest.TempFile(t, "a.csv", "i,f,s\n1,0.5,u\n,,\n3,NaN,w\n"), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, nil, []int{2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	_, kept, err := filetest.Slurp(src, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []stream.Column{
		{Kind: stream.String, Strings: []string{"u", "", "w"}, Valid: []bool{true, false, true}},
		{Kind: stream.Int64, Ints: []int64{1, 0, 3}, Valid: []bool{true, false, true}},
		{Kind: stream.Float64, Floats: []float64{0.5, math.NaN(), math.NaN()}, Valid: []bool{true, false, false}},
	}
	if diff := cmp.Diff(want, kept, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	filetest.CheckGather(t, src)
}

func TestCSVTextIsNoNumber(t *testing.T) {
	tb, err := openCSV(context.Background(), filetest.TempFile(t, "a.csv", "a,b\n1,x\n"), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = column.Choose(tb, []int{1}, nil)
	filetest.WantError(t, err, `"b"`)
}

// Rows are gathered by number from a file with a header, blank lines and quoted newlines.
func TestCSVGather(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,s,b\n")
	for i := range 5000 {
		fmt.Fprintf(&text, "%d,\"text\n%d\",%g\n", i, i, float64(i)/7)
		if i%100 == 0 {
			text.WriteString("\n")
		}
	}
	tb, err := openCSV(context.Background(), filetest.TempFile(t, "a.csv", text.String()), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, tb)
	rows, kept, err := filetest.Slurp(src, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if row[0] != float64(i) || row[1] != float64(i)/7 || kept[0].Strings[i] != "text\n"+strconv.Itoa(i) {
			t.Fatalf("row %d: %v %q", i, row, kept[0].Strings[i])
		}
	}
	filetest.CheckGather(t, src)
}

// Quoted cells have the same meaning as in encoding/csv.
func TestCSVEqualsEncodingCSV(t *testing.T) {
	cell := rapid.StringOfN(rapid.RuneFrom([]rune("a\"\n\r,;x é")), 0, 6, -1)
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.IntRange(2, 4).Draw(rt, "width")
		records := rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 1, 5).Draw(rt, "records")
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.WriteAll(records)
		want, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
		if err != nil {
			rt.Fatal(err)
		}
		got := newRecords(bytes.NewReader(text.Bytes()), dialect{Delimiter: ',', begin: fileStart})
		for i, record := range want {
			cells, err := got.Next()
			if err != nil {
				rt.Fatalf("record %d: %v", i, err)
			}
			for j := range record {
				// encoding/csv turns \r\n in quotes to \n and keeps blanks outside quotes
				ours := strings.ReplaceAll(string(cells[j]), "\r\n", "\n")
				if strings.TrimSpace(ours) != strings.TrimSpace(record[j]) {
					rt.Fatalf("record %d: %q, want %q", i, cells[j], record[j])
				}
			}
		}
		if _, err := got.Next(); err != io.EOF {
			rt.Fatalf("more than %d records: %v", len(want), err)
		}
	})
}

func TestGuessDelimiter(t *testing.T) {
	tests := map[string]rune{
		"":                                  ',',
		"word\nword\n":                      ',',
		"my value\n1\n2\n":                  ',',
		"a,b\n1,2\n":                        ',',
		"a;b\n1;2\n":                        ';',
		"a\tb c\n1\t2\n":                    '\t',
		"time,v\n2020-01-01 10:00:00,5\n":   ',',
		"1.5 2.5\n1 2\n":                    WhiteSpace,
		"\"a;b\",c\n\"x;y\",d\n":            ',',
		"label text, with comma;1\nother;2": ';',
		"Sales; of 2020\na,b\n1,2\n3,4\n":   ',', // a title does not decide
		"by x, on a day; and\n1;2\n3;4\n":   ';',
	}
	for text, want := range tests {
		if got := guessDelimiter([]byte(text), ""); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Published files have the expected rows and columns.
func TestCSVRealFiles(t *testing.T) {
	tests := []struct {
		file          string
		rows          int64
		numbers, text int
	}{
		{"abalone.data", 4177, 8, 1}, {"australian.dat", 690, 15, 0}, {"heart.dat", 270, 14, 0},
		{"spambase.data", 4601, 58, 0}, {"yacht_hydrodynamics.data", 308, 7, 0}, {"letter.scale", 20000, 17, 0},
		{"ilpd.csv", 583, 10, 1}, {"wine.csv", 178, 14, 0}, {"cora.edges.csv", 5429, 2, 0},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			path := filetest.RealData(t, test.file)
			tb, err := openCSV(context.Background(), path, CSVOptions{})
			if err != nil {
				t.Fatal(err)
			}
			numbers, texts := filetest.ComputableColumns(tb)
			if tb.About().Rows != test.rows || len(numbers) != test.numbers || len(texts) != test.text {
				t.Errorf("%d rows of %d numbers and %d texts, want %v", tb.About().Rows, len(numbers), len(texts), test)
			}
		})
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "1 2\n3 4\n", "\"x\n\"\"y\",1\n2,3\n", "\ufeff1;2\r\n3;4\r\n", "a\n\n?\nNA\n", "0,1,c\n1,2,3\n", "\"", "a,\"b\nc,d", "\t\t\n1\t2\t3"} {
		f.Add(seed, false, byte(0))
		f.Add(seed, true, byte(','))
	}
	f.Fuzz(func(t *testing.T, text string, noHeader bool, delimiter byte) {
		tb, err := openCSV(context.Background(), filetest.TempFile(t, "a.csv", text), CSVOptions{NoHeader: noHeader, Delimiter: rune(delimiter)})
		if err != nil {
			return
		}
		filetest.CheckPromise(t, tb)
	})
}

func BenchmarkCSV(b *testing.B) {
	var text bytes.Buffer
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		for j := range 20 {
			if j > 0 {
				text.WriteByte(',')
			}
			text.WriteString(strconv.FormatFloat(random.NormFloat64(), 'g', -1, 64))
		}
		text.WriteByte('\n')
	}
	path := filetest.TempFile(b, "a.csv", text.String())
	tb, err := openCSV(context.Background(), path, CSVOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			if _, err := openCSV(context.Background(), path, CSVOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		src := filetest.ChooseAll(b, tb)
		batch := filetest.NewBatch(src, 1024)
		for b.Loop() {
			r, err := src.Open(context.Background(), 0)
			if err != nil {
				b.Fatal(err)
			}
			for err == nil {
				_, err = r.Read(batch)
			}
			r.Close()
		}
	})
}
