package blockstore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// oddArrow is JSON of three rows with columns of many types.
const oddArrow = `[
	{"x": 1, "runs": 2.5, "emb": [1, 2], "wide": [1, 2, 3], "ragged": [1], "nested": [[1]], "map": [{"key": "a", "value": 1}], "struct": {"a": 1}, "bytes": "AAE=", "words": ["a"], "none": null, "sparse": null},
	{"x": 2, "runs": 2.5, "emb": [3, 4], "wide": [4, 5, 6], "ragged": [1, 2], "nested": [[1]], "map": [], "struct": {"a": 2}, "bytes": "AAE=", "words": ["a"], "none": null, "sparse": null},
	{"x": 3, "runs": null, "emb": [5, 6], "wide": [7, 8, 9], "ragged": [1], "nested": [[1]], "map": [], "struct": {"a": 3}, "bytes": "AAE=", "words": ["a"], "none": null, "sparse": null}
]`

// writeOddArrow writes oddArrow as a file or as a stream.
func writeOddArrow(t *testing.T, path string) {
	t.Helper()
	number := arrow.PrimitiveTypes.Float64
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Int64},
		{Name: "runs", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, number)},
		{Name: "emb", Type: arrow.FixedSizeListOf(2, number)},
		{Name: "wide", Type: arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32)},
		{Name: "ragged", Type: arrow.ListOf(number)},
		{Name: "nested", Type: arrow.ListOf(arrow.ListOf(number))},
		{Name: "map", Type: arrow.MapOf(arrow.BinaryTypes.String, number)},
		{Name: "struct", Type: arrow.StructOf(arrow.Field{Name: "a", Type: number})},
		{Name: "bytes", Type: arrow.BinaryTypes.Binary},
		{Name: "words", Type: arrow.ListOf(arrow.BinaryTypes.String)},
		{Name: "none", Type: arrow.Null, Nullable: true},
		{Name: "sparse", Type: arrow.ListOf(number), Nullable: true},
	}, nil)
	write(t, path, arrowBytes(t, filepath.Ext(path) == ".arrow", schema, oddArrow, 2))
}

// An unreadable column is left out with a reason, and the file is still read. If several are requested, one error names
// all of them.
func TestColumnsThatCannotBeRead(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for _, name := range []string{"a.arrow", "a.arrows", "pipe"} {
		path := filepath.Join(dir, name)
		writeOddArrow(t, path)
		open := func(o Options) (*Source, error) {
			if name != "pipe" {
				return Open(ctx, []string{path}, o)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			o.Reader = f
			return Open(ctx, []string{"-"}, o)
		}
		src, err := open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(src.Info().Columns, " "); got != "x emb.0 emb.1 wide.0 wide.1 wide.2 struct.a" {
			t.Errorf("%s: columns %s", name, got)
		}
		x, err := stream.ReadAll(ctx, src)
		if err != nil || x.Rows != 6 {
			t.Fatal(x.Rows, err)
		}
		if x.Data[1] != 1 || x.Data[x.Stride+2] != 4 || x.Data[x.Stride+5] != 6 {
			t.Errorf("%s: vectors are read as %v", name, x.Data)
		}
		reasons := map[string]string{}
		for _, out := range src.LeftOut() {
			reasons[out.Name] = out.Reason
		}
		for column, why := range map[string]string{"ragged": "lists of different lengths", "nested": "lists of lists", "runs": "runs, which are not read", "map": "maps",
			"bytes": "bytes", "words": "lists of text", "none": "nulls only", "sparse": "no lists with anything in them"} {
			if reasons[column] != why {
				t.Errorf("%s: column %s is left out for %q, want %q", name, column, reasons[column], why)
			}
		}
		_, err = open(Options{Columns: []string{"x", "ragged", "bytes", "nobody"}, Keep: []string{"runs", "nobodies"}})
		filetest.WantError(t, err, `column "ragged": it holds lists of different lengths`, `column "bytes": it holds bytes`, `column "runs": it cannot be kept, for it holds runs`,
			`there is no column "nobodies"`, `nor "nobody"`, "the columns are: x, runs")
	}
}

// Column names are truncated in messages, and control characters are escaped.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	text := long + ",b\x1b[31m\n1,2\nabc,z\n3,4\n5,6\n"
	_, err := Open(context.Background(), []string{filetest.TempFile(t, "a.csv", text)}, Options{})
	filetest.WantError(t, err, "xxx…", `"b\x1b[31m"`, "Columns '!", "line 3")
	if len(err.Error()) > 2000 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("a message of %d bytes", len(err.Error()))
	}
	_, err = Open(context.Background(), []string{filetest.TempFile(t, "a.csv", text)}, Options{Columns: []string{long + "y"}})
	if err == nil || len(err.Error()) > 2000 {
		t.Error("a long message, or none")
	}
}

// Duplicate column names are an error only where columns are selected or matched by them.
func TestColumnsOfOneName(t *testing.T) {
	path := filetest.TempFile(t, "a.csv", "a,a,b\n1,2,x\n3,4,y\n")
	src, err := Open(context.Background(), []string{path}, Options{})
	if err != nil || len(src.Info().Columns) != 2 {
		t.Error(err)
	}
	_, err = Open(context.Background(), []string{path}, Options{Columns: []string{"a"}})
	filetest.WantError(t, err, `2 columns are called "a"`, "number instead: 0, 1")
	_, err = Open(context.Background(), []string{path, path}, Options{})
	filetest.WantError(t, err, `several columns are called "a"`, "rename", "Columns '!a'")
}
