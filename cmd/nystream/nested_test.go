package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
)

// nestedTable returns a record of two numbers, a vector, and lists, maps and structures as kept columns.
func nestedTable(t *testing.T, rows int) arrow.Record {
	t.Helper()
	nullable := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	member := arrow.StructOf(nullable("when", arrow.FixedWidthTypes.Date32), nullable("sizes", arrow.ListOf(arrow.PrimitiveTypes.Int16)))
	schema := arrow.NewSchema([]arrow.Field{
		nullable("x", arrow.PrimitiveTypes.Float64),
		nullable("y", arrow.PrimitiveTypes.Float64),
		nullable("emb", arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32)),
		nullable("tags", arrow.ListOf(arrow.BinaryTypes.String)),
		nullable("counts", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)),
		nullable("parts", arrow.ListOf(member)),
	}, nil)
	var lines []string
	for i := range rows {
		tags := []string{"null", "[]", `["a", null]`, fmt.Sprintf(`["é%d"]`, i)}[i%4]
		counts := []string{"[]", fmt.Sprintf(`[{"key": "k%d", "value": 9007199254740993}]`, i), "null"}[i%3]
		parts := []string{`[{"when": "2024-02-29", "sizes": [1, null]}, null]`, "[]", `[{"when": null, "sizes": null}]`, "null"}[i%4]
		lines = append(lines, fmt.Sprintf(`{"x": %d, "y": %g, "emb": [%d, 0.5, 0.1], "tags": %s, "counts": %s, "parts": %s}`, i%7, float64(i)/8, i%5, tags, counts, parts))
	}
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("["+strings.Join(lines, ",")+"]"), array.WithUseNumber())
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// runPiped runs a command line on a standard input and returns its standard output.
func runPiped(t *testing.T, in []byte, line ...string) []byte {
	t.Helper()
	var out, messages bytes.Buffer
	if code := run(t.Context(), line, bytes.NewReader(in), &out, &messages); code != 0 {
		t.Fatalf("%s: exit %d: %s", line, code, messages.String())
	}
	return out.Bytes()
}

// Nested columns pass unchanged through transform from one Arrow stream to another. --as-list writes the embedding as
// one list column.
func TestNestedStream(t *testing.T) {
	const rows = 60
	dir, table := t.TempDir(), nestedTable(t, rows)
	var in bytes.Buffer
	w := ipc.NewWriter(&in, ipc.WithSchema(table.Schema()))
	for at := int64(0); at < rows; at += 25 { // of several batches
		if err := w.Write(table.NewSlice(at, min(rows, at+25))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(dir, "m.npz")
	runPiped(t, in.Bytes(), "fit", "landmark", "-", "--columns", "x,emb,y", "--kernel", "rbf(gamma=0.1)", "--rank", "4", "-o", model)
	out := runPiped(t, in.Bytes(), "transform", model, "-", "--keep", "parts,emb,counts,tags", "--as-list", "e", "-o", "-", "--output-format", "arrow-stream")
	numbers := runPiped(t, in.Bytes(), "transform", model, "-", "-o", "-", "--output-format", "csv")
	r, err := ipc.NewReader(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.Schema().Fields() {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "e parts emb counts tags" {
		t.Fatal(got)
	}
	var embedding strings.Builder
	embedding.WriteString("u0,u1,u2,u3\n")
	at := int64(0)
	for r.Next() {
		got := r.Record()
		for k, name := range names[1:] {
			want := table.Column(table.Schema().FieldIndices(name)[0])
			if part := array.NewSlice(want, at, at+got.NumRows()); !arrow.TypeEqual(want.DataType(), got.Column(k+1).DataType()) || !array.Equal(part, got.Column(k+1)) {
				t.Errorf("%s from row %d on: %v, want %v", name, at, got.Column(k+1), part)
			}
		}
		list := got.Column(0).(*array.FixedSizeList)
		values := list.ListValues().(*array.Float64)
		for i := range int(got.NumRows()) {
			var cells []string
			for k := range 4 {
				cells = append(cells, fmt.Sprint(values.Value(4*i+k)))
			}
			embedding.WriteString(strings.Join(cells, ",") + "\n")
		}
		at += got.NumRows()
	}
	if r.Err() != nil || at != rows {
		t.Error(r.Err(), at)
	}
	if embedding.String() != string(numbers) {
		t.Errorf("the embedding is\n%s\nand by columns\n%s", embedding.String(), numbers)
	}
}

// --as-list is refused for a format without lists, and for a name that is taken.
func TestAsListRefused(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("x.csv"), []byte("a,b\n1,2\n2,5\n3,1\n4,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	runPiped(t, nil, "fit", "landmark", path("x.csv"), "--kernel", "rbf", "--rank", "2", "-o", path("m.npz"))
	for out, want := range map[string]string{"o.npy": "npy has no columns of lists", "o.libsvm": "libsvm has no columns of lists", "o.parquet": `two columns are called "a"`} {
		var messages bytes.Buffer
		line := []string{"transform", path("m.npz"), path("x.csv"), "--columns", "a,b", "--as-list", "a", "-o", path(out)}
		if strings.HasSuffix(out, ".parquet") {
			line = append(line, "--keep", "a")
		}
		if code := run(t.Context(), line, nil, &messages, &messages); code == 0 || !strings.Contains(messages.String(), want) {
			t.Errorf("%s: exit %d: %s", out, code, messages.String())
		}
	}
}
