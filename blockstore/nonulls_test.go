package blockstore

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Every format announces columns without nulls, and Parquet files have them as required columns.
func TestNoNulls(t *testing.T) {
	folder := t.TempDir()
	fields := []stream.Field{
		{Name: "whole", Kind: stream.Int64}, {Name: "some", Kind: stream.Int64},
		stream.FieldOf("day", logical.Type{Class: logical.Date}), {Name: "word", Kind: stream.String},
		stream.FieldOf("price", logical.Type{Class: logical.Decimal, Precision: 24, Scale: 2}),
	}
	price := func(v byte) string { return string(append(make([]byte, 15), v)) }
	kept := []stream.Column{
		{Kind: stream.Int64, Ints: []int64{1, 2, 3}}, {Kind: stream.Int64, Ints: []int64{1, 0, 3}, Valid: []bool{true, false, true}},
		{Kind: stream.Int64, Type: fields[2].Type, Ints: []int64{19782, 1, -1}}, {Kind: stream.String, Strings: []string{"a", "b", "c"}},
		{Kind: stream.Float64, Type: fields[4].Type, Floats: []float64{.01, .02, .03}, Strings: []string{price(1), price(2), price(3)}},
	}
	write := func(path string, fields []stream.Field) error {
		w, err := Create(path, Schema{Kept: fields, Rows: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort() // does nothing after Commit
		if err := w.Write(&stream.Batch{X: matrix.New(3, 0), Kept: kept}, 3); err != nil {
			return err
		}
		return w.Commit()
	}
	for _, format := range []string{"parquet", "arrow", "arrows", "nys", "csv", "jsonl"} {
		in, out := filepath.Join(folder, "in."+format), filepath.Join(folder, "out.parquet")
		if err := write(in, fields); err != nil {
			t.Fatal(err)
		}
		src, err := Open(t.Context(), []string{in}, Options{Carry: CarryAll, NoNumbers: true, FindTypes: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range src.Info().Kept {
			if f.NoNulls != (f.Name != "some") {
				t.Errorf("%s, column %s: without nulls %v", format, f.Name, f.NoNulls)
			}
		}
		copyAs(t, in, out, Options{Carry: CarryAll, NoNumbers: true, FindTypes: true})
		for _, column := range openParquet(t, out).Root().Columns() {
			if column.Optional() != (column.Name() == "some") {
				t.Errorf("%s, column %s of Parquet: optional %v", format, column.Name(), column.Optional())
			}
		}
	}
	fields[1].NoNulls = true // as a footer may lie
	if err := write(filepath.Join(folder, "lie.parquet"), fields); err == nil {
		t.Error("a null is written to a required column")
	}
}

// openParquet opens a file by parquet-go.
func openParquet(t *testing.T, path string) *parquet.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	size, err := f.Seek(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(f, size)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Files of float64 columns alone are copied as numbers, unless one has a null or another type.
func TestPlainNumbers(t *testing.T) {
	folder := t.TempDir()
	files := map[string]string{"a.csv": "x,y\n1.5,2.5\n", "b.csv": "x,y\n1.5,\n", "c.csv": "x,y\n1.5,2\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		names []string
		plain bool
	}{{[]string{"a.csv"}, true}, {[]string{"b.csv"}, false}, {[]string{"c.csv"}, false}, {[]string{"a.csv", "b.csv"}, false}, {[]string{"a.csv", "a.csv"}, true}} {
		var paths []string
		for _, name := range c.names {
			paths = append(paths, filepath.Join(folder, name))
		}
		src, err := Open(t.Context(), paths, Options{Carry: CarryAll, NoNumbers: true})
		if err != nil {
			t.Fatal(err)
		}
		info := src.Info()
		names := slices.Clone(info.Columns)
		for _, f := range info.Kept {
			names = append(names, f.Name)
		}
		if (len(info.Kept) == 0) != c.plain || !slices.Equal(names, []string{"x", "y"}) {
			t.Errorf("%q: columns %q, kept %v", c.names, info.Columns, info.Kept)
		}
	}
}
