package blockstore

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// nestedCases are nested types with two values each, and a null between them. The expected Parquet levels are those of
// each leaf value: repetition and definition level, as parquet-go reads them.
func nestedCases() []typeCase {
	of := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	i64, f32 := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float32
	uuid := of("u", &arrow.FixedSizeBinaryType{ByteWidth: 16})
	uuid.Metadata = arrow.MetadataFrom(map[string]string{"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": ""})
	return []typeCase{
		{name: "list<float32>", field: of("", arrow.ListOf(f32)), json: [2]string{"[0.1, null, -3e38]", "[]"},
			parquet: [2]string{"0:3 0.1|1:2 <null>|1:3 -3e+38", "0:1 <null>"}, text: [2]string{"[0.1,null,-3e+38]", "[]"}},
		{name: "fixed", field: of("", arrow.FixedSizeListOf(3, f32)), json: [2]string{"[0.1, 2, 3]", "[4, 5, 6]"}, after: arrow.ListOf(f32),
			parquet: [2]string{"0:3 0.1|1:3 2|1:3 3", "0:3 4|1:3 5|1:3 6"}, text: [2]string{"[0.1,2,3]", "[4,5,6]"}},
		{name: "list<text>", field: of("", arrow.ListOf(arrow.BinaryTypes.String)), json: [2]string{`["é\"", null, ""]`, "[null]"},
			parquet: [2]string{`0:3 é"|1:2 <null>|1:3 `, "0:2 <null>"}, text: [2]string{`["é\"",null,""]`, "[null]"}},
		{name: "map", field: of("", arrow.MapOf(arrow.BinaryTypes.String, i64)), json: [2]string{`[{"key": "b", "value": 9007199254740993}, {"key": "a", "value": null}]`, "[]"},
			parquet: [2]string{"0:2 b|1:2 a;0:3 9007199254740993|1:2 <null>", "0:1 <null>;0:1 <null>"}, text: [2]string{`{"b":9007199254740993,"a":null}`, "{}"}},
		{name: "map<int8,bool>", field: of("", arrow.MapOf(arrow.PrimitiveTypes.Int8, arrow.FixedWidthTypes.Boolean)), json: [2]string{`[{"key": -1, "value": true}]`, `[{"key": 2, "value": false}]`},
			parquet: [2]string{"0:2 -1;0:3 true", "0:2 2;0:3 false"}, text: [2]string{`{"-1":true}`, `{"2":false}`}},
		{name: "struct", field: of("", arrow.StructOf(of("z", arrow.PrimitiveTypes.Int32), of("a", arrow.ListOf(arrow.PrimitiveTypes.Float64)))),
			json: [2]string{`{"z": -5, "a": [1.5, null]}`, `{"z": null, "a": null}`}, parquet: [2]string{"0:2 -5;0:4 1.5|1:3 <null>", "0:1 <null>;0:1 <null>"},
			text: [2]string{`{"z":-5,"a":[1.5,null]}`, `{"z":null,"a":null}`}},
		{name: "list<struct>", field: of("", arrow.ListOf(arrow.StructOf(of("p", arrow.PrimitiveTypes.Uint8), of("q", arrow.FixedWidthTypes.Date32)))),
			json:    [2]string{`[{"p": 255, "q": "2024-02-29"}, null, {"p": null, "q": null}]`, "[]"},
			parquet: [2]string{"0:4 255|1:2 <null>|1:3 <null>;0:4 19782|1:2 <null>|1:3 <null>", "0:1 <null>;0:1 <null>"},
			text:    [2]string{`[{"p":255,"q":"2024-02-29"},null,{"p":null,"q":null}]`, "[]"}},
		{name: "list<list>", field: of("", arrow.ListOf(arrow.ListOf(i64))), json: [2]string{"[[1, 2], null, [], [null]]", "[null]"},
			parquet: [2]string{"0:5 1|2:5 2|1:2 <null>|1:3 <null>|1:4 <null>", "0:2 <null>"}, text: [2]string{"[[1,2],null,[],[null]]", "[null]"}},
		{name: "map<text,map>", field: of("", arrow.MapOf(arrow.BinaryTypes.String, arrow.MapOf(arrow.BinaryTypes.String, f32))),
			json:    [2]string{`[{"key": "x", "value": [{"key": "y", "value": 1}, {"key": "z", "value": 2}]}, {"key": "w", "value": []}]`, `[{"key": "", "value": null}]`},
			parquet: [2]string{"0:2 x|1:2 w;0:4 y|2:4 z|1:3 <null>;0:5 1|2:5 2|1:3 <null>", "0:2 ;0:2 <null>;0:2 <null>"},
			text:    [2]string{`{"x":{"y":1,"z":2},"w":{}}`, `{"":null}`}},
		{name: "scalars", field: of("", arrow.StructOf(of("d", &arrow.Decimal128Type{Precision: 38, Scale: 10}), of("t", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}),
			of("h", &arrow.Time64Type{Unit: arrow.Nanosecond}), of("b", arrow.BinaryTypes.Binary), of("f", &arrow.FixedSizeBinaryType{ByteWidth: 2}), uuid, of("n", arrow.PrimitiveTypes.Uint64))),
			json: [2]string{`{"d": "-12345678901234567890123456.7890123456", "t": "2024-02-29T12:34:56.789012Z", "h": "23:59:59.999999999", "b": "AP8=", "f": "AP8=", "u": "AAECAwQFBgcICQoLDA0ODw==", "n": 18446744073709551615}`,
				`{"d": "0.0000000001", "t": "1902-03-04T00:00:01Z", "h": "00:00:00", "b": "", "f": "YWI=", "u": "/////////////////////w==", "n": 0}`},
			parquet: [2]string{"*", "*"},
			text: [2]string{`{"d":-12345678901234567890123456.7890123456,"t":"2024-02-29T12:34:56.789012Z","h":"23:59:59.999999999","b":"00ff","f":"00ff","u":"00010203-0405-0607-0809-0a0b0c0d0e0f","n":18446744073709551615}`,
				`{"d":0.0000000001,"t":"1902-03-04T00:00:01Z","h":"00:00:00","b":"","f":"6162","u":"ffffffff-ffff-ffff-ffff-ffffffffffff","n":0}`}},
	}
}

// Lists, maps, structures and their nestings survive every format as kept columns. parquet-go and arrow/go are the
// references; text formats have JSON.
func TestNestedTypes(t *testing.T) {
	t.Parallel()
	cases, dir := nestedCases(), t.TempDir()
	want := recordOf(t, typesSchema(cases, false), func(c typeCase) [2]string { return c.json }, cases)
	in := filepath.Join(dir, "in.arrow")
	writeRecord(t, in, want)
	var names []string
	for _, c := range cases {
		names = append(names, c.name)
	}
	for how, o := range map[string]Options{"kept": {Columns: []string{"first"}, Keep: names}, "converted": {Carry: CarryAll, NoNumbers: true}} {
		t.Run(how, func(t *testing.T) {
			path := func(name string) string { return filepath.Join(dir, how+name) }
			compare := want
			if how == "kept" { // a null in a feature is NaN
				compare = want.NewSlice(0, 1)
			}
			back := func(from, name string) arrow.Record {
				copyAs(t, path(from), path(name), o)
				return readRecord(t, path(name)).NewSlice(0, compare.NumRows())
			}
			copyAs(t, in, path("a.arrow"), o)
			sameRecord(t, "Arrow", compare, readRecord(t, path("a.arrow")).NewSlice(0, compare.NumRows()))
			copyAs(t, path("a.arrow"), path("a.nys"), o)
			sameRecord(t, "store", compare, back("a.nys", "b.arrow"))
			copyAs(t, path("a.nys"), path("a.parquet"), o)
			wantLevels(t, path("a.parquet"), cases)
			copyAs(t, path("a.parquet"), path("b.parquet"), o)
			wantLevels(t, path("b.parquet"), cases)
			after := recordOf(t, typesSchema(cases, true), func(c typeCase) [2]string { return c.json }, cases).NewSlice(0, compare.NumRows())
			sameRecord(t, "Parquet", after, back("b.parquet", "c.arrow"))
			for _, text := range []string{"a.csv", "a.jsonl"} {
				copyAs(t, in, path(text), o)
				wantJSON(t, path(text), cases)
			}
		})
	}
}

// wantLevels reads a file with parquet-go and compares its values and levels.
func wantLevels(t *testing.T, path string, cases []typeCase) {
	t.Helper()
	schema, rows := threeRows(t, path)
	leaf := 1
	for i, c := range cases {
		field := schema.Fields()[i+1]
		leaves := leavesOf(field)
		var got [3][]string
		for k, row := range rows {
			for l := leaf; l < leaf+leaves; l++ {
				var values []string
				row.Range(func(column int, list []parquet.Value) bool {
					for _, v := range list {
						if column == l {
							values = append(values, fmt.Sprintf("%d:%d %v", v.RepetitionLevel(), v.DefinitionLevel(), v))
						}
					}
					return true
				})
				got[k] = append(got[k], strings.Join(values, "|"))
			}
		}
		leaf += leaves
		if nulls := strings.Repeat("0:0 <null>;", leaves); strings.Join(got[1], ";")+";" != nulls {
			t.Errorf("%s, %s: a null is %s", path, c.name, got[1])
		}
		for k, row := range map[int]int{0: 0, 1: 2} {
			if text := strings.Join(got[row], ";"); field.Name() != c.name || c.parquet[k] != "*" && text != c.parquet[k] {
				t.Errorf("%s, %s: %s, want %s", path, c.name, text, c.parquet[k])
			}
		}
	}
}

// leavesOf returns the number of leaves below a node.
func leavesOf(n parquet.Node) (leaves int) {
	if n.Leaf() {
		return 1
	}
	for _, f := range n.Fields() {
		leaves += leavesOf(f)
	}
	return leaves
}

// wantJSON compares the JSON in a text file with the expected one.
func wantJSON(t *testing.T, path string, cases []typeCase) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	for k, row := range map[int]int{0: 0, 1: 2} {
		for _, c := range cases {
			text, line := c.text[k], lines[row]
			if strings.HasSuffix(path, ".csv") {
				line = lines[row+1]
				if strings.ContainsAny(text, `",`) {
					text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
				}
			} else {
				text = fmt.Sprintf("%q:%s", c.name, text)
			}
			if !strings.Contains(line, text) {
				t.Errorf("%s, row %d: no %s in\n%s", path, row, text, line)
			}
		}
	}
}

// A list column of constant length becomes that many features, from Parquet and Arrow, and may also be kept. Single
// components can be selected.
func TestComputedLists(t *testing.T) {
	t.Parallel()
	cases, dir := nestedCases()[1:2], t.TempDir()
	in := filepath.Join(dir, "in.arrow")
	writeRecord(t, in, recordOf(t, typesSchema(cases, false), func(c typeCase) [2]string { return c.json }, cases))
	for _, format := range []string{".arrow", ".parquet"} {
		out := filepath.Join(dir, "out"+format)
		copyAs(t, in, out, Options{Carry: CarryAll, NoNumbers: true})
		src, err := Open(t.Context(), []string{out}, Options{Columns: []string{"fixed"}, Keep: []string{"fixed"}})
		if err != nil {
			t.Fatal(err)
		}
		b := filetest.MustRead(t, src, 2)
		for row, want := range map[int][]float64{0: {float64(float32(.1)), 2, 3}, 2: {4, 5, 6}} {
			if diff := cmp.Diff(want, matrix.Row(b.X, row)); diff != "" {
				t.Errorf("%s: %s", format, diff)
			}
		}
		if diff := cmp.Diff([]bool{true, false, true}, b.Kept[0].Valid); diff != "" || len(b.Kept[0].Strings[2]) != 2+3*4 {
			t.Errorf("%s: kept are %q, %s", format, b.Kept[0].Strings, diff)
		}
		src, err = Open(t.Context(), []string{out}, Options{Carry: CarryAll, NoNumbers: true, Columns: []string{"first", "fixed.1"}})
		if err != nil {
			t.Fatal(err)
		}
		if kept := src.Info().Kept; len(kept) != 2 || kept[1].Name != "fixed.1" {
			t.Errorf("%s: chosen are %v", format, kept)
		}
	}
}

// nestedRow is a row written by parquet-go and printed by encoding/json. Legacy is a repeated column without a list
// annotation.
type nestedRow struct {
	ID     int64              `parquet:"id" json:"id"`
	Tags   []string           `parquet:"tags,list" json:"tags"`
	Legacy []int32            `parquet:"legacy" json:"legacy"`
	Map    map[string]float32 `parquet:"map" json:"map"`
	Struct *nestedMember      `parquet:"struct,optional" json:"struct"`
}

type nestedMember struct {
	A *int64    `parquet:"a,optional" json:"a"`
	L []float64 `parquet:"l,list" json:"l"`
}

// nestedRows returns rows with lists of up to 40 elements.
func nestedRows(n int) []nestedRow {
	rows := make([]nestedRow, n)
	for i := range rows {
		r := &rows[i]
		*r = nestedRow{ID: int64(i), Tags: []string{}, Legacy: []int32{}, Map: map[string]float32{}}
		for k := range i * i % 41 {
			r.Tags = append(r.Tags, fmt.Sprint("tag", i*k%17))
		}
		for k := range i % 5 {
			r.Legacy = append(r.Legacy, int32(i-k))
		}
		if i%3 > 0 {
			r.Map[fmt.Sprint("key", i)] = float32(i) / 4
		}
		if i%4 > 0 {
			r.Struct = &nestedMember{L: []float64{}}
			for k := range i % 7 {
				r.Struct.L = append(r.Struct.L, float64(k)/8)
			}
			if i%4 > 1 {
				r.Struct.A = &r.ID
			}
		}
	}
	return rows
}

// writeNested writes rows with parquet-go, in row groups of 300 and small data pages of the given version.
func writeNested(t *testing.T, path string, rows []nestedRow, version int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := parquet.NewGenericWriter[nestedRow](f, parquet.PageBufferSize(512), parquet.DataPageVersion(version))
	for len(rows) > 0 {
		n := min(300, len(rows))
		if _, err := w.Write(rows[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Nested values written by parquet-go are read from any first row and across pages.
func TestNestedRowsOfOthers(t *testing.T) {
	t.Parallel()
	rows, dir := nestedRows(1000), t.TempDir()
	o := Options{Carry: CarryAll, NoNumbers: true}
	var want strings.Builder
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		want.Write(append(line, '\n'))
	}
	for version := 1; version <= 2; version++ {
		in := filepath.Join(dir, fmt.Sprint(version, ".parquet"))
		writeNested(t, in, rows, version)
		path := in
		for _, format := range []string{".parquet", ".arrow", ".nys", ".jsonl"} { // one from the other
			out := filepath.Join(dir, fmt.Sprint(version, "out", format))
			copyAs(t, path, out, o)
			path = out
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want.String() {
			t.Errorf("version %d: %v", version, cmp.Diff(strings.SplitN(want.String(), "\n", 4)[:3], strings.SplitN(string(got), "\n", 4)[:3]))
		}
		for _, path := range []string{in, filepath.Join(dir, fmt.Sprint(version, "out.arrow"))} {
			wantSameFromRow(t, path, o)
		}
	}
}

// wantSameFromRow compares the kept columns of a whole pass with passes from later rows and with gathering.
func wantSameFromRow(t *testing.T, path string, o Options) {
	t.Helper()
	src, err := Open(t.Context(), []string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	read := func(first int64) []stream.Column {
		r, err := src.Open(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b := &stream.Batch{X: matrix.New(1000-int(first), 0), Kept: src.Info().NewKept()}
		if n, err := stream.ReadFull(r, b); n != b.X.Rows || err != nil && err != io.EOF {
			t.Fatal(path, first, n, err)
		}
		return b.Kept
	}
	all := read(0)
	for _, first := range []int64{1, 37, 299, 300, 555, 998} {
		for k, c := range read(first) {
			if !slices.Equal(c.Strings, all[k].Strings[min(first, int64(len(all[k].Strings))):]) {
				t.Errorf("%s: column %d from row %d on", path, k, first)
			}
		}
	}
	numbers := []int64{0, 3, 4, 250, 299, 301, 700, 701, 999}
	b := &stream.Batch{X: matrix.New(len(numbers), 0), Kept: src.Info().NewKept()}
	if err := src.Gather(t.Context(), numbers, b); err != nil {
		t.Fatal(path, err)
	}
	for k, c := range b.Kept {
		for i, row := range numbers {
			if c.Kind == stream.String && c.Strings[i] != all[k].Strings[row] {
				t.Errorf("%s: column %d, row %d by number", path, k, row)
			}
		}
	}
}

// A damaged file of nested values is an error, or has all rows with well-formed values.
func TestDamagedNested(t *testing.T) {
	t.Parallel()
	dir, o := t.TempDir(), Options{Carry: CarryAll, NoNumbers: true}
	in := filepath.Join(dir, "in.parquet")
	writeNested(t, in, nestedRows(60), 1)
	random := rand.New(rand.NewPCG(1, 58))
	for _, format := range []string{".parquet", ".arrow", ".nys"} {
		path := filepath.Join(dir, "whole"+format)
		copyAs(t, in, path, o)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for range 400 {
			damaged := slices.Clone(whole)
			for range 1 + random.IntN(3) {
				damaged[random.IntN(len(damaged))] ^= byte(1 + random.IntN(255))
			}
			mutant := filepath.Join(dir, "mutant"+format)
			if err := os.WriteFile(mutant, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			src, err := Open(t.Context(), []string{mutant}, o)
			if err != nil {
				continue
			}
			r, err := src.Open(t.Context(), 0)
			if err != nil {
				continue
			}
			b := &stream.Batch{X: matrix.New(100, len(src.Info().Columns)), Kept: src.Info().NewKept()}
			n, err := stream.ReadFull(r, b)
			if err == io.EOF {
				read++
				for k, c := range b.Kept {
					if c.Len() != n {
						t.Errorf("%s: column %d has %d of %d values", format, k, c.Len(), n)
					}
				}
				wantSound(t, b.Kept)
			}
			r.Close()
		}
		if read == 0 && format != ".nys" { // a store has checksums
			t.Errorf("%s: no damaged file was read to its end", format)
		}
	}
}

// wantSound fails unless the nested values are well-formed.
func wantSound(t *testing.T, kept []stream.Column) {
	t.Helper()
	for _, c := range kept {
		for i, value := range c.Strings {
			if c.Type.IsNested() && !c.Null(i) {
				if err := logical.Check(c.Type, value); err != nil {
					t.Errorf("%s, row %d: %v", c.Type, i, err)
				}
			}
		}
	}
}

// Lists of different lengths in several files form one column of lists. A column that a file lacks is left out.
func TestListsOfSeveralFiles(t *testing.T) {
	t.Parallel()
	dir, f32 := t.TempDir(), arrow.PrimitiveTypes.Float32
	write := func(name, value string, list arrow.DataType) string {
		c := []typeCase{{name: "emb", field: arrow.Field{Type: list, Nullable: true}, json: [2]string{value, value}}}
		in, out := filepath.Join(dir, "in.arrow"), filepath.Join(dir, name)
		writeRecord(t, in, recordOf(t, typesSchema(c, false), func(c typeCase) [2]string { return c.json }, c))
		copyAs(t, in, out, Options{Carry: CarryAll, NoNumbers: true})
		return out
	}
	files := []string{write("a.parquet", "[1, 2, 3]", arrow.ListOf(f32)), write("b.arrow", "[4, 5]", arrow.FixedSizeListOf(2, f32)), write("c.nys", "[]", arrow.ListOf(f32))}
	for _, order := range [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}} {
		var paths, want []string
		for _, i := range order {
			paths = append(paths, files[i])
			list := []string{"[1 2 3]", "[4 5]", "[]"}[i]
			want = append(want, list, "(null)", list)
		}
		src, err := Open(t.Context(), paths, Options{Carry: CarryAll, NoNumbers: true})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out.arrow")
		copySource(t, src, out)
		got := readRecord(t, out).Column(1)
		if text := "[" + strings.Join(want, " ") + "]"; fmt.Sprint(got) != text || got.DataType().ID() != arrow.LIST {
			t.Errorf("%v: %v of %v, want %s", order, got, got.DataType(), text)
		}
	}
	lacking := filepath.Join(dir, "d.csv")
	if err := os.WriteFile(lacking, []byte("first\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := Open(t.Context(), []string{files[0], lacking}, Options{Carry: CarryAll, NoNumbers: true})
	if err != nil {
		t.Fatal(err)
	}
	if left := src.LeftOut(); len(src.Info().Kept) != 1 || len(left) == 0 || !strings.HasPrefix(left[0].Name, "emb") {
		t.Errorf("kept are %v, left out %v", src.Info().Kept, left)
	}
}
