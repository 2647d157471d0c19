package blockstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/internal/formats"
	"github.com/nystream/nystream/stream"
)

// floatGenerator draws all sorts of float64, NaN with one bit pattern.
func floatGenerator() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 1.0 / 3, 1e22, 1 << 53, 1<<53 + 2, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}))
}

// writeRows writes rows, and kept columns, in batches of the given size.
func writeRows(path string, s Schema, rows [][]float64, kept []stream.Column, batch int) error {
	w, err := Create(path, s)
	if err != nil {
		return err
	}
	defer w.Abort()
	for at := 0; at < len(rows); at += batch {
		n := min(batch, len(rows)-at)
		b := &stream.Batch{X: blas64.General{Rows: batch, Cols: len(s.Columns), Stride: len(s.Columns) + 1, Data: make([]float64, (batch+1)*(len(s.Columns)+1))}}
		b.Kept = make([]stream.Column, len(kept))
		for i := range n {
			copy(b.X.Data[i*b.X.Stride:], rows[at+i])
			for k := range kept {
				filetest.CopyValue(&b.Kept[k], &kept[k], at+i)
			}
		}
		if err := w.Write(b, n); err != nil {
			return err
		}
	}
	return w.Commit()
}

// openWritten opens what writeRows has written.
func openWritten(path string) (column.Table, error) {
	return openFormat(context.Background(), path, fileOptions{format: formats.ByExtension(filepath.Ext(path))})
}

// Written numbers are read with the same bits.
func TestWritersRoundTrip(t *testing.T) {
	t.Parallel()
	for _, extension := range []string{".npy", ".csv", ".tsv", ".libsvm", ".jsonl"} {
		t.Run(extension, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a"+extension)
			rapid.Check(t, func(rt *rapid.T) {
				d := rapid.IntRange(1, 4).Draw(rt, "d")
				rows := rapid.SliceOfN(rapid.SliceOfN(floatGenerator(), d, d), 1, 6).Draw(rt, "rows")
				schema := Schema{Rows: int64(len(rows))}
				if rapid.Bool().Draw(rt, "rows unknown") {
					schema.Rows = -1
				}
				for j := range d {
					schema.Columns = append(schema.Columns, "x"+strconv.Itoa(j))
				}
				err := writeRows(path, schema, rows, nil, rapid.IntRange(1, 4).Draw(rt, "batch"))
				infinite := slices.ContainsFunc(slices.Concat(rows...), func(v float64) bool { return math.IsInf(v, 0) })
				if extension == ".jsonl" && infinite {
					filetest.WantError(t, err, "no infinite numbers")
					return
				}
				if err != nil {
					rt.Fatal(err)
				}
				tb, err := openWritten(path)
				if err != nil {
					rt.Fatal(err)
				}
				numeric := make([]int, d)
				for j := range numeric {
					numeric[j] = j
				}
				src, err := column.Choose(tb, numeric, nil)
				if err != nil {
					rt.Fatal(err)
				}
				got, _, err := filetest.Slurp(src, 5)
				if err != nil {
					rt.Fatal(err)
				}
				if diff := cmp.Diff(rows, got, filetest.SameBits); diff != "" {
					rt.Fatal(diff)
				}
				if diff := cmp.Diff(schema.Columns, src.Info().Columns); diff != "" {
					rt.Fatal(diff)
				}
			})
		})
	}
}

// JSON lines are objects with the names of the columns as keys. Nulls and NaN are null.
func TestJSONLinesWriter(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	schema := Schema{Columns: []string{"0", "x\"y<"}, Rows: -1, Kept: []stream.Field{{Name: "s", Kind: stream.String}, {Name: "i", Kind: stream.Int64}, {Name: "f", Kind: stream.Float64}}}
	rows := [][]float64{{1, 2.5}, {-0.1, 1e300}, {math.NaN(), math.Copysign(0, -1)}}
	kept := []stream.Column{
		{Kind: stream.String, Strings: []string{"a \"b\",\n<é", "", " 007 "}, Valid: []bool{true, false, true}},
		{Kind: stream.Int64, Ints: []int64{math.MaxInt64, 0, -1}, Valid: []bool{true, false, true}},
		{Kind: stream.Float64, Floats: []float64{0.1, 0, 3e-5}, Valid: []bool{true, false, true}},
	}
	if err := writeRows(path, schema, rows, kept, 2); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"0":1,"x\"y<":2.5,"s":"a \"b\",\n<é","i":9223372036854775807,"f":0.1}
{"0":-0.1,"x\"y<":1e+300,"s":null,"i":null,"f":null}
{"0":null,"x\"y<":-0,"s":" 007 ","i":-1,"f":3e-05}
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	tb, err := openWritten(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, []int{0, 1}, []int{2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	gotRows, gotKept, err := filetest.Slurp(src, 3)
	if err != nil {
		t.Fatal(err)
	}
	kept[2].Floats[1] = math.NaN()
	if diff := cmp.Diff(rows, gotRows, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(kept, gotKept, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	bad := filepath.Join(dir, "bad.jsonl")
	for _, test := range []struct {
		columns []string
		value   float64
		text    string
		want    []string
	}{
		{[]string{"a"}, math.Inf(-1), "", []string{"row 0", `column "a"`, "no infinite numbers", ".parquet"}},
		{[]string{"s"}, 1, "", []string{`several columns are called "s"`, "rename"}},
		{[]string{"a"}, 1, "\xff", []string{"row 0", `column "s"`, "UTF-8"}},
		{[]string{"\xff"}, 1, "", []string{"the name of column", "UTF-8"}},
	} {
		schema := Schema{Columns: test.columns, Rows: 1, Kept: []stream.Field{{Name: "s", Kind: stream.String}}}
		err := writeRows(bad, schema, [][]float64{{test.value}}, []stream.Column{{Kind: stream.String, Strings: []string{test.text}}}, 1)
		filetest.WantError(t, err, test.want...)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Error("left behind:", left, err)
	}
}

func TestCSVWriterKeepsColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	schema := Schema{Columns: []string{"0", "x,y"}, Rows: -1, Kept: []stream.Field{{Name: "s", Kind: stream.String}, {Name: "i", Kind: stream.Int64}, {Name: "f", Kind: stream.Float64}}}
	rows := [][]float64{{1, 2.5}, {-0.1, 1e300}, {math.NaN(), math.Inf(1)}}
	kept := []stream.Column{
		{Kind: stream.String, Strings: []string{"a \"b\",\n", "", " c"}, Valid: []bool{true, false, true}},
		{Kind: stream.Int64, Ints: []int64{math.MaxInt64, 0, -1}, Valid: []bool{true, false, true}},
		{Kind: stream.Float64, Floats: []float64{0.1, 0, 3e-5}, Valid: []bool{true, false, true}},
	}
	if err := writeRows(path, schema, rows, kept, 2); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "x0,\"x,y\",s,i,f\n1,2.5,\"a \"\"b\"\",\n\",9223372036854775807,0.1\n-0.1,1e+300,,,\nNaN,+Inf,\" c\",-1,3e-05\n"
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	tb, err := openWritten(path)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, []int{0, 1}, []int{2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	gotRows, gotKept, err := filetest.Slurp(src, 3)
	if err != nil {
		t.Fatal(err)
	}
	kept[2].Floats[1] = math.NaN()
	if diff := cmp.Diff(rows, gotRows, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(kept, gotKept, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(schema.Kept, src.Info().Kept); diff != "" {
		t.Error(diff)
	}
}

// A null that is alone in its line does not produce a blank line, which readers would skip.
func TestCSVWriterLoneNull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	kept := []stream.Column{{Kind: stream.String, Strings: []string{"u", "", "w"}, Valid: []bool{true, false, true}}}
	if err := writeRows(path, Schema{Rows: 3, Kept: []stream.Field{{Name: "s", Kind: stream.String}}}, [][]float64{{}, {}, {}}, kept, 3); err != nil {
		t.Fatal(err)
	}
	tb, err := openWritten(path)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := filetest.Slurp(filetest.ChooseAll(t, tb), 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestLibsvmWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svm")
	labels := []stream.Column{{Kind: stream.Int64, Ints: []int64{1, -1, 0}, Valid: []bool{true, true, false}}}
	schema := Schema{Columns: []string{"a", "b", "c"}, Kept: []stream.Field{{Name: "y", Kind: stream.Int64}}, Rows: 3}
	if err := writeRows(path, schema, [][]float64{{0, 0.5, 0}, {1, 0, 0}, {0, 0, 0}}, labels, 3); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "1 2:0.5 3:0\n-1 1:1\nnan\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	tb, err := openWritten(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, kept, err := filetest.Slurp(filetest.Features(t, tb), 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{0, 0.5, 0}, {1, 0, 0}, {0, 0, 0}}, rows); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(labels, kept, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	schema.Kept[0].Kind, schema.Rows = stream.String, 1
	for _, label := range []string{"", "a b", "a:b", "#a"} {
		err := writeRows(path, schema, [][]float64{{1, 2, 3}}, []stream.Column{{Kind: stream.String, Strings: []string{label}}}, 1)
		filetest.WantError(t, err, path, "row 0", `"y"`)
	}
}

// The header has the same length whether the number of rows is known in advance or not.
func TestNPYWriterBytes(t *testing.T) {
	dir := t.TempDir()
	rows := make([][]float64, 1234)
	for i := range rows {
		rows[i] = []float64{float64(i), 1 / float64(i+1)}
	}
	var files [2]string
	for k, known := range []int64{-1, 1234} {
		path := filepath.Join(dir, strconv.Itoa(k)+".npy")
		if err := writeRows(path, Schema{Columns: []string{"a", "b"}, Rows: known}, rows, nil, 100*(k+1)); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[k] = string(file)
	}
	if files[0] != files[1] {
		t.Error("the bytes depend on what was known")
	}
	if (len(files[0])-1234*16)%64 != 0 || !strings.Contains(files[0], "'shape': (1234, 2), }") {
		t.Errorf("header %q", files[0][:128])
	}
	out := filetest.Python(t, `
import sys, numpy as np
a = np.load(sys.argv[1], mmap_mode='r')
print(a.shape, a.dtype, a[1233].tolist())
`, filepath.Join(dir, "0.npy"))
	if want := "(1234, 2) float64 [1233.0, " + strconv.FormatFloat(1/1234.0, 'g', -1, 64) + "]\n"; out != want {
		t.Errorf("NumPy says %q, want %q", out, want)
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	kept := []stream.Field{{Name: "y"}, {Name: "z"}}
	tests := []struct {
		path   string
		schema Schema
		words  []string
	}{
		{"a.xls", Schema{Columns: []string{"a"}}, []string{".npy", ".parquet", ".nys"}},
		{"a", Schema{Columns: []string{"a"}}, []string{".npy"}},
		{"a.npy", Schema{Columns: []string{"a"}, Kept: kept}, []string{`"y"`, ".parquet"}},
		{"a.svm", Schema{Columns: []string{"a"}, Kept: kept}, []string{"label"}},
		{"a.csv", Schema{}, []string{"no columns"}},
		{"none/a.csv", Schema{Columns: []string{"a"}}, []string{"no such file"}},
	}
	for _, test := range tests {
		_, err := Create(filepath.Join(dir, test.path), test.schema)
		filetest.WantError(t, err, append(test.words, test.path)...)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

// A writer fails if the number of rows differs from the announced one.
func TestRowsMustBeAsAnnounced(t *testing.T) {
	for _, extension := range []string{".npy", ".csv", ".svm"} {
		path := filepath.Join(t.TempDir(), "a"+extension)
		err := writeRows(path, Schema{Columns: []string{"a"}, Rows: 3}, [][]float64{{1}, {2}}, nil, 2)
		filetest.WantError(t, err, "2 rows came, 3 were announced")
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is a file: %v", err)
		}
	}
}

func TestWrongBatchPanics(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "a.csv"), Schema{Columns: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	defer func() {
		if p, ok := recover().(string); !ok || !strings.HasPrefix(p, "blockstore: ") {
			t.Errorf("panic %v", p)
		}
	}()
	w.Write(&stream.Batch{X: blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float64, 2)}}, 1)
}

func TestWriterBytes(t *testing.T) {
	if WriterBytes("npy", 20) != 0 || WriterBytes(OutputFormat("a.CSV"), 20) != 0 {
		t.Error("formats written row by row hold rows")
	}
	for _, path := range []string{"a.parquet", "a.Arrow", "a.feather", "a.nys"} {
		if got := WriterBytes(OutputFormat(path), 20); got < 8<<20 || got > 64<<20 {
			t.Errorf("%s: %d bytes", path, got)
		}
	}
}

// schemaOf returns the schema of the rows of a source.
func schemaOf(info stream.Info) Schema {
	return Schema{Columns: info.Columns, Kept: info.Kept, Rows: info.Rows}
}

// writeSample writes rows of filetest.SampleInfo to a store and returns its path.
func writeSample(t testing.TB, b *stream.Batch, compression string) string {
	t.Helper()
	return writeStore(t, b, schemaOf(filetest.SampleInfo), compression)
}

// writeStore writes rows to a store and returns its path.
func writeStore(t testing.TB, b *stream.Batch, s Schema, compression string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.nys")
	s.Compression = compression
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Write(b, b.X.Rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

// The bytes of a store do not depend on the sizes of the batches written, nor its rows on those of the reads.
func TestStoreAnyBatches(t *testing.T) {
	t.Parallel()
	want := filetest.SampleBatch(4096+900, 2)
	one, err := os.ReadFile(writeSample(t, want, ""))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(dir, "parts.nys")
		w, err := Create(path, schemaOf(filetest.SampleInfo))
		if err != nil {
			rt.Fatal(err)
		}
		defer w.Abort()
		for from := 0; from < want.X.Rows; {
			n := rapid.IntRange(0, 6000).Draw(rt, "batch")
			n = min(n, want.X.Rows-from)
			part := filetest.BatchPart(want, from, n)
			if err := w.Write(part, n); err != nil {
				rt.Fatal(err)
			}
			from += n
		}
		if err := w.Commit(); err != nil {
			rt.Fatal(err)
		}
		if got, _ := os.ReadFile(path); !bytes.Equal(one, got) {
			rt.Fatal("the file depends on the sizes of the batches written")
		}
		if d := filetest.Diff(want, filetest.MustRead(t, mustOpen(t, Options{Columns: filetest.SampleInfo.Columns, Keep: []string{"id", "name", "score"}}, path), rapid.IntRange(1, 9000).Draw(rt, "read"))); d != "" {
			rt.Fatal(d)
		}
	})
}

// A store with fewer rows than announced is an error, and leaves no file.
func TestStoreFewerRowsThanAnnounced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.nys")
	w, err := Create(path, Schema{Columns: []string{"a"}, Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a partial file has the final name")
	}
}
