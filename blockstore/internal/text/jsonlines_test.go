package text

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

func mustOpenJSON(t testing.TB, content string) column.Table {
	t.Helper()
	tb, err := openJSON(context.Background(), nil, filetest.TempFile(t, "a.jsonl", content))
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// Every kind of member, missing ones among them.
func TestJSONLines(t *testing.T) {
	tb := mustOpenJSON(t, ByteOrderMark+`{"i": 7, "f": 1.5, "b": true, "s": "a\"bé😀", "v": [1, null, 3e2], "o": {"x": [1]}, "m": 1, "big": 9007199254740993}
 { "f" : -Infinity , "v":[4,5,6],"s":null,"b":false,"i":-2, "m":"NA"}

{"new":12, "v":null, "s":" 007 ","f":NaN,"n":null}
`)
	var kinds []string
	for _, c := range tb.About().Columns {
		kinds = append(kinds, fmt.Sprintf("%s %s %d %s", c.Name, c.Kind, c.Width, c.Meaning))
	}
	want := []string{"i integer 1 ", "f number 1 ", "b integer 1 boolean", "s text 1 ", "v vector 3 ", "o other 1 ", "m text 1 ", "big integer 1 ", "new integer 1 ", "n number 1 "}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Fatal(diff)
	}
	if why := tb.About().NearlyNumeric[6]; why == nil || !strings.HasPrefix(why.Error(), `line 2: "NA" is not a number`) {
		t.Error(tb.About().NearlyNumeric)
	}
	src, err := column.Choose(tb, []int{4, 1, 0, 2, 8, 9}, []int{3, 6, 7, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	rows, kept, err := filetest.Slurp(src, 2)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	wanted := [][]float64{{1, nan, 300, 1.5, 7, 1, nan, nan}, {4, 5, 6, math.Inf(-1), -2, 0, nan, nan}, {nan, nan, nan, nan, nan, nan, 12, nan}}
	if diff := cmp.Diff(wanted, rows, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a\"bé😀", "", " 007 "}, kept[0].Strings); diff != "" || !kept[0].Null(1) || kept[0].Null(2) {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1", "NA", ""}, kept[1].Strings); diff != "" {
		t.Error(diff)
	}
	if kept[2].Ints[0] != 9007199254740993 || !kept[2].Null(1) || kept[3].Ints[0] != 1 || kept[4].Floats[0] != 1.5 {
		t.Error(kept[2:])
	}
	filetest.CheckGather(t, src)
	filetest.CheckSlots(t, tb)
	_, err = readColumns(tb, 7)
	filetest.WantError(t, err, `column "big"`, "line 1", "9007199254740993")
}

func TestJSONArrays(t *testing.T) {
	tb := mustOpenJSON(t, "[1, 2.5, \"a\"]\n[3,null,\"b\"]\n[5,null,null]\n")
	src := filetest.ChooseAll(t, tb)
	if diff := cmp.Diff([]string{"x0", "x1"}, src.Info().Columns); diff != "" {
		t.Error(diff)
	}
	rows, kept, err := filetest.Slurp(src, 2)
	if diff := cmp.Diff([][]float64{{1, 2.5}, {3, math.NaN()}, {5, math.NaN()}}, rows, filetest.SameBits); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff([]string{"a", "b", ""}, kept[0].Strings); diff != "" {
		t.Error(diff)
	}
}

func TestJSONLinesRefuses(t *testing.T) {
	for content, want := range map[string][]string{
		"":                                    {"no rows"},
		"\n \n":                               {"no rows"},
		"[\n{\"a\":1}\n]\n":                   {"line 1", "one JSON array", "jq -c '.[]'"},
		"[{\"a\":1},{\"a\":2}]\n":             {"one JSON array"},
		"{\n  \"a\": 1\n}\n":                  {"line 1", "jq -c ."},
		"[1,2]\n\n[3]\n":                      {"line 3", "1 values", "first line has 2", "null"},
		"[1]\n[3,4]\n":                        {"line 2", "2 values"},
		"{\"a\":1}\n[1]\n":                    {"line 2", "objects and some are arrays"},
		"{\"a\":1}\n7\n":                      {"line 2", `"7" is no JSON object`},
		"{\"a\":1} {\"a\":2}\n":               {"line 1", "follows the value"},
		"{\"a\":1,\"a\":2}\n":                 {"line 1", `"a" appears twice`},
		"{\"a\":01}\n":                        {"line 1", `"01" is no value`},
		"{\"a\":tru}\n":                       {`"tru"`},
		"{\"a\":.5}\n":                        {`".5"`},
		"{\"a\":1.}\n":                        {`"1."`},
		"{\"a\":1e}\n":                        {`"1e"`},
		"{\"a\":0x10}\n":                      {`"0x10"`},
		"{\"a\":}\n":                          {"where a value should be"},
		"{\"a\":1,}\n":                        {"where a name in quotes"},
		"{a:1}\n":                             {"where a name in quotes"},
		"{\"a\":\"b\tc\"}\n":                  {"0x09"},
		"{\"a\":\"\\q\"}\n":                   {"no string of JSON"},
		"{\"\xe9\":1}\n":                      {"name of a member", "0xe9", "`Layout.Encoding latin1`"},
		strings.Repeat("[", 5000) + "\n":      {"line 1"},
		"{\"a\":" + strings.Repeat("[", 5000): {"1000 deep"},
	} {
		_, err := openJSON(context.Background(), nil, filetest.TempFile(t, "a.jsonl", content))
		filetest.WantError(t, err, append(want, "a.jsonl")...)
	}
}

// Text in another encoding is no hindrance to numbers, and an error where it is kept.
func TestJSONLinesEncoding(t *testing.T) {
	tb := mustOpenJSON(t, "{\"a\":1,\"s\":\"x\"}\n{\"a\":2,\"s\":\"caf\xe9\"}\n")
	numbers, err := column.Choose(tb, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows, _, err := filetest.Slurp(numbers, 5); err != nil || len(rows) != 2 {
		t.Error(rows, err)
	}
	_, _, err = filetest.Slurp(filetest.ChooseAll(t, tb), 5)
	filetest.WantError(t, err, "row 1", `column "s"`, "line 2", "byte 3", "0xe9", "`Layout.Encoding latin1`")
}

// Integers in arrays that no float64 holds are refused as others are, or rounded.
func TestJSONInexactArrays(t *testing.T) {
	content := `{"v":[1,2],"w":[0.5,1]}` + "\n" + `{"v":[-3,9007199254740993],"w":[2,1152921504606847000]}` + "\n"
	tb := mustOpenJSON(t, content)
	_, err := readColumns(tb, 0)
	filetest.WantError(t, err, `row 1`, `column "v"`, "line 2", "9007199254740993", "`Options.Inexact round`")
	src, err := column.ChooseInexact(tb, []int{0}, nil, column.InexactRound)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := filetest.Slurp(src, 2)
	if diff := cmp.Diff([][]float64{{1, 2}, {-3, 9007199254740992}}, rows); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := column.Choose(tb, []int{1}, nil); err != nil {
		t.Error("among floats it is the shortest way to write 2^60:", err)
	}
}

// A number beyond float64 is no infinity, in vectors and kept columns too.
func TestJSONBeyondFloat64(t *testing.T) {
	for _, content := range []string{`{"a":1e400}`, `{"a":-1e400}`, `{"a":[1,1e400]}`, `{"a":1` + strings.Repeat("0", 400) + `}`} {
		_, err := column.ChooseInexact(mustOpenJSON(t, content+"\n"), []int{0}, nil, column.InexactRound)
		if err != nil {
			t.Fatal(err)
		}
		src, _ := column.ChooseInexact(mustOpenJSON(t, content+"\n"), []int{0}, nil, column.InexactRound)
		_, _, err = filetest.Slurp(src, 2)
		filetest.WantError(t, err, "row 0", `column "a"`, "line 1", "beyond what a float64 holds")
	}
}

// A column that is not read says what keeps it from that, however the file is divided.
func TestJSONReasons(t *testing.T) {
	content := strings.Join([]string{
		`{"a":1,"v":[1,2],"w":[1],"e":null,"o":1,"l":[1],"x":1}`,
		`{"a":2,"v":[1,2,3],"w":4,"e":[],"o":{"p":[1]},"l":[1,"b"],"x":"b"}`,
		`{"a":3,"v":[1,2,3,4],"w":[4],"e":[],"o":null,"l":{},"x":[7]}`}, "\n") + "\n"
	want := []string{"integer ", "other arrays of different lengths", "other arrays and other values",
		fmt.Sprintf("other empty arrays, or arrays of more than %d numbers", column.MaxWidth),
		"other objects, or arrays that have not only numbers", "other objects, or arrays that have not only numbers", "other arrays and other values"}
	defer func(n int64) { partBytes = n }(partBytes)
	for _, partBytes = range []int64{partBytes, 30, 60, 100} {
		var got []string
		for _, c := range mustOpenJSON(t, content).About().Columns {
			got = append(got, c.Kind.String()+" "+c.Why)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(partBytes, diff)
		}
	}
}

// jsonSample is a file of many rows, whose members come and go.
func jsonSample(rows int) string {
	var b strings.Builder
	for i := range rows {
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, "{\"a\":%d,\"v\":[%d,%g],\"s\":\"t%d\"}\n", i, i, float64(i)/7, i)
		case 1:
			fmt.Fprintf(&b, "{\"v\":[%d,%g],\"a\":%d}\n", i, float64(i)/7, i)
		default:
			fmt.Fprintf(&b, "\n{\"s\":null, \"late%d\":%d, \"a\":%d.5}\n", i/500, i, i)
		}
	}
	return b.String()
}

// The parts of a large file give what the whole gives.
func TestJSONParts(t *testing.T) {
	content := jsonSample(3000)
	whole := mustOpenJSON(t, content)
	defer func(n int64) { partBytes = n }(partBytes)
	partBytes = 5000
	parts := mustOpenJSON(t, content)
	a, b := *whole.About(), *parts.About()
	a.Path, b.Path = "", ""
	if diff := cmp.Diff(a, b); diff != "" {
		t.Fatal(diff)
	}
	one, _, err := filetest.Slurp(filetest.ChooseAll(t, whole), 100)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := filetest.Slurp(filetest.ChooseAll(t, parts), 77)
	if diff := cmp.Diff(one, other, filetest.SameBits); diff != "" || err != nil {
		t.Error(diff, err)
	}
	filetest.CheckGather(t, filetest.ChooseAll(t, parts))
	_, err = openJSON(context.Background(), nil, filetest.TempFile(t, "a.jsonl", content+"{\"a\":}\n"))
	filetest.WantError(t, err, "line 4001")
}

func TestJSONLinesConcurrency(t *testing.T) {
	filetest.CheckConcurrency(t, []byte(jsonSample(1200)), openJSON)
}

func FuzzJSONLines(f *testing.F) {
	for _, seed := range []string{jsonSample(6), "[1,2]\n[3]\n", "{\"a\":\"\\ud83d\\ude00\"}\n", "{}\n{\"a\":[1]}\n", "{\"a\":NaN,\"b\":-Infinity}\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		tb, err := openJSON(context.Background(), nil, filetest.TempFile(t, "a.jsonl", content))
		if err != nil {
			return
		}
		src, err := filetest.Readable(tb)
		if err != nil {
			return
		}
		rows, _, err := filetest.Slurp(src, 3)
		if err == nil && int64(len(rows)) != tb.About().Rows {
			t.Fatalf("%d rows, promised %d", len(rows), tb.About().Rows)
		}
		if err == nil {
			filetest.CheckGather(t, src)
		}
	})
}

// A scan with as many names as a file may have refuses one more.
func TestJSONMostMembers(t *testing.T) {
	const most = column.Max
	s := &jsonScan{columnIndex: map[string]int{"a": 0}, names: make([]string, most), columns: make([]*jsonColumn, most)}
	s.names[0] = "a"
	if _, err := s.column(most, []byte("a")); err != nil {
		t.Errorf("a name that is held: %v", err)
	}
	if _, err := s.column(most, []byte("b")); err == nil || !strings.Contains(err.Error(), "more than 1000000 members") {
		t.Errorf("a new name gives %v", err)
	}
}
