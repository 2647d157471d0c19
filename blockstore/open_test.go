package blockstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// mustOpen opens files and fails the test on an error.
func mustOpen(t testing.TB, o Options, paths ...string) *Source {
	t.Helper()
	src, err := Open(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// openError returns the text of the error of Open, and fails the test if there is none.
func openError(t testing.TB, o Options, paths ...string) string {
	t.Helper()
	_, err := Open(context.Background(), paths, o)
	if err == nil {
		t.Fatalf("%v opened without an error", paths)
	}
	return err.Error()
}

// mustContain fails the test unless a message contains all parts.
func mustContain(t testing.TB, message string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(message, p) {
			t.Errorf("%q does not say %q", message, p)
		}
	}
}

// numbersOf reads the numbers of a source.
func numbersOf(t testing.TB, src stream.Source) []float64 {
	t.Helper()
	return filetest.MustRead(t, src, 3).X.Data
}

// writeBatch writes rows without kept columns to a file of any format.
func writeBatch(t testing.TB, path string, columns []string, x *stream.Batch) {
	t.Helper()
	w, err := Create(path, Schema{Columns: columns, Rows: int64(x.X.Rows)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Write(&stream.Batch{X: x.X}, x.X.Rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// writtenFormats are the extensions of files that Create writes, one for each format.
var writtenFormats = []string{".npy", ".csv", ".libsvm", ".parquet", ".arrow", ".nys"}

// Rows are the same bit for bit in every format, split over files of any formats, and gathered by number.
func TestSameRowsFromEveryFormat(t *testing.T) {
	t.Parallel()
	const n, d = 300, 4
	names := stream.NumberedColumns(d)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	all := column.NewBatch(stream.Info{Columns: names}, n)
	copy(all.X.Data, filetest.SampleBatch(n*d/3, 11).X.Data)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		var paths []string
		for from := 0; from < n; {
			m := min(n-from, rapid.IntRange(1, n).Draw(rt, "rows"))
			extension := rapid.SampledFrom(writtenFormats).Draw(rt, "format")
			path := filepath.Join(dir, fmt.Sprint("part", len(paths), extension))
			writeBatch(t, path, names, &stream.Batch{X: matrix.Rows(all.X, from, m)})
			paths = append(paths, path)
			from += m
		}
		src := mustOpen(t, Options{}, paths...)
		if diff := cmp.Diff(names, src.Info().Columns); diff != "" {
			rt.Fatal(diff)
		}
		if d := filetest.Diff(all, filetest.MustRead(t, src, rapid.IntRange(1, 400).Draw(rt, "read"))); d != "" {
			rt.Fatal(d)
		}
		rows := ascending(rapid.SliceOfDistinct(rapid.Int64Range(0, n-1), rapid.ID).Draw(rt, "gather"))
		got, want := column.NewBatch(src.Info(), len(rows)), column.NewBatch(src.Info(), len(rows))
		for i, r := range rows {
			copy(want.X.Data[i*d:(i+1)*d], all.X.Data[r*d:])
		}
		if err := src.Gather(context.Background(), rows, got); err != nil {
			rt.Fatal(err)
		}
		if d := filetest.Diff(want, got); d != "" {
			rt.Fatal(d)
		}
	})
}

// ascending returns sorted row numbers.
func ascending(rows []int64) []int64 {
	for i := range rows {
		for j := i; j > 0 && rows[j] < rows[j-1]; j-- {
			rows[j], rows[j-1] = rows[j-1], rows[j]
		}
	}
	return rows
}

// Columns of later files are matched by name, in any order and beside others.
func TestOpenMatchesColumnsByName(t *testing.T) {
	dir := t.TempDir()
	a := filetest.FileIn(t, dir, "a.csv", "x,y,label\n1,2,7\n")
	b := filetest.FileIn(t, dir, "b.csv", "extra,label,y,x\n0,8.5,20,10\n")
	src := mustOpen(t, Options{Label: "label"}, a, b)
	got := filetest.MustRead(t, src, 10)
	if diff := cmp.Diff([]float64{1, 2, 10, 20}, got.X.Data); diff != "" {
		t.Error(diff)
	}
	// integers in one file, floats in the other: floats
	if diff := cmp.Diff([]stream.Column{{Kind: stream.Float64, Floats: []float64{7, 8.5}}}, got.Kept, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	c := filetest.FileIn(t, dir, "c.csv", "x,label,z\n1,2,3\n")
	mustContain(t, openError(t, Options{Label: "label", Columns: []string{"x", "y"}}, a, c), "c.csv", `"y"`)
	d := filetest.FileIn(t, dir, "d.csv", "x,y,label\n1,word,3\n")
	mustContain(t, openError(t, Options{Label: "label"}, a, d), "d.csv", `"y"`, "no numbers")
	e := filetest.FileIn(t, dir, "e.csv", "x,y,label\n1,2,dog\n")
	mustContain(t, openError(t, Options{Label: "label"}, a, e), "e.csv", `"label"`, "text")
}

// Columns of files without a header are matched by position.
func TestOpenMatchesColumnsByPosition(t *testing.T) {
	dir := t.TempDir()
	a := filetest.FileIn(t, dir, "a.csv", "x,y\n1,2\n")
	b := filetest.FileIn(t, dir, "b.csv", "3,4\n5,6\n")
	if diff := cmp.Diff([]float64{2, 1, 4, 3, 6, 5}, numbersOf(t, mustOpen(t, Options{Columns: []string{"y", "x"}}, a, b))); diff != "" {
		t.Error(diff)
	}
	c := filetest.FileIn(t, dir, "c.csv", "3,4,5\n")
	mustContain(t, openError(t, Options{}, a, c), "c.csv", "3 columns", "2")
	mustContain(t, openError(t, Options{}, b, c), "c.csv", "3 columns", "2")
	d := filetest.FileIn(t, dir, "d.csv.gz", gzipped(t, "7,8\n"))
	if diff := cmp.Diff([]float64{1, 2, 7, 8}, numbersOf(t, mustOpen(t, Options{}, a, d))); diff != "" {
		t.Error(diff)
	}
}

// Columns of files of different formats are matched by name alone, even if the label is last in one and first in the
// other.
func TestOpenMatchesFormatsByName(t *testing.T) {
	dir := t.TempDir()
	features := filetest.FileIn(t, dir, "a.svm", "7 1:1 2:2\n")
	same := filetest.FileIn(t, dir, "a.csv", "label,x1,x0\n8,4,3\n")
	for _, paths := range [][]string{{same, features}, {features, same}} {
		got := filetest.MustRead(t, mustOpen(t, Options{Columns: []string{"x0", "x1"}, Label: "label"}, paths...), 10)
		want := []float64{3, 4, 1, 2}
		if paths[0] == features {
			want = []float64{1, 2, 3, 4}
		}
		if diff := cmp.Diff(want, got.X.Data); diff != "" || got.Kept[0].Ints[0] != 15-got.Kept[0].Ints[1] {
			t.Error(diff, got.Kept)
		}
	}
	other := filetest.FileIn(t, dir, "b.csv", "label,a,b\n8,4,3\n")
	mustContain(t, openError(t, Options{}, other, features), "a.svm", `"a"`, "columns are: x0, x1, label")
	mustContain(t, openError(t, Options{}, features, other), "b.csv", `"x0"`, "columns are: label, a, b")
	arrays := filetest.FileIn(t, dir, "c.jsonl", "[8,4,3]\n")
	mustContain(t, openError(t, Options{}, other, arrays), "c.jsonl", `"a"`)
}

// A text column may be empty in some files, even the first.
func TestOpenEmptyText(t *testing.T) {
	dir := t.TempDir()
	for extension, content := range map[string][2]string{
		".csv":   {"v,s\n1,\n", "v,s\n2,word\n"},
		".jsonl": {`{"v":1,"s":null}` + "\n", `{"v":2,"s":"word"}` + "\n"},
	} {
		empty, full := filetest.FileIn(t, dir, "a"+extension, content[0]), filetest.FileIn(t, dir, "b"+extension, content[1])
		for _, paths := range [][]string{{empty, full}, {full, empty}} {
			got := filetest.MustRead(t, mustOpen(t, Options{Keep: []string{"s"}}, paths...), 10)
			at := 1
			if paths[0] == full {
				at = 0
			}
			if s := got.Kept[0]; s.Strings[at] != "word" || !s.Null(1-at) || len(got.X.Data) != 2 {
				t.Errorf("%s: %v", extension, got)
			}
			if diff := cmp.Diff([]string{"v"}, mustOpen(t, Options{}, paths...).Info().Columns); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// Features that a libsvm file does not mention are zero, including the last ones of other files.
func TestOpenLibsvmShards(t *testing.T) {
	dir := t.TempDir()
	filetest.FileIn(t, dir, "a.svm", "1 1:5 2:6\n")
	filetest.FileIn(t, dir, "b.svm", "2 3:7\n")
	src := mustOpen(t, Options{Label: "label"}, dir)
	got := filetest.MustRead(t, src, 10)
	if diff := cmp.Diff([]float64{5, 6, 0, 0, 0, 7}, got.X.Data); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{1, 2}, got.Kept[0].Ints); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"x0", "x1", "x2"}, mustOpen(t, Options{}, dir).Info().Columns); diff != "" {
		t.Errorf("without --label the label is a feature: %s", diff)
	}
}

// Query numbers of libsvm files are left out, with a note.
func TestOpenLibsvmQueries(t *testing.T) {
	src := mustOpen(t, Options{}, filetest.FileIn(t, t.TempDir(), "a.svm", "1 1:5\n2 qid:3 2:6\n"))
	want := []LeftOutColumn{{"label", LibsvmLabel}, {"qid", "query numbers, which are not read"}}
	if diff := cmp.Diff(want, src.LeftOut()); diff != "" {
		t.Error(diff)
	}
}

// Keys of k=v folders are columns of the rows below them, unescaped, and null for the default partition of Hive.
func TestOpenHiveFolders(t *testing.T) {
	dir := t.TempDir()
	filetest.FileIn(t, dir, "year=2024/city=A%20B/p.csv", "x\n1\n2\n")
	filetest.FileIn(t, dir, "year=2023/city=__HIVE_DEFAULT_PARTITION__/p.csv", "x\n3\n")
	filetest.FileIn(t, dir, "year=2023/_SUCCESS", "")
	filetest.FileIn(t, dir, "year=2023/.p.csv.crc", "junk")
	filetest.FileIn(t, dir, "_temporary/p.csv", "junk")
	src := mustOpen(t, Options{Label: "year", Keep: []string{"city"}}, dir)
	if diff := cmp.Diff([]stream.Field{{Name: "year", Kind: stream.Int64, Carried: true}, {Name: "city", Kind: stream.String, Carried: true}}, src.Info().Kept); diff != "" {
		t.Fatal(diff)
	}
	got := filetest.MustRead(t, src, 2)
	want := []stream.Column{
		{Kind: stream.Int64, Ints: []int64{2023, 2024, 2024}},
		{Kind: stream.String, Strings: []string{"", "A B", "A B"}, Valid: []bool{false, true, true}},
	}
	if diff := cmp.Diff(want, got.Kept, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{3, 1, 2}, got.X.Data); diff != "" {
		t.Error(diff)
	}
	part := column.NewBatch(src.Info(), 2)
	if err := src.Gather(context.Background(), []int64{0, 2}, part); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{2023, 2024}, part.Kept[0].Ints); diff != "" {
		t.Error(diff)
	}
	plain := mustOpen(t, Options{}, dir)
	if diff := cmp.Diff([]string{"x"}, plain.Info().Columns); diff != "" {
		t.Errorf("unnamed keys must be ignored: %s", diff)
	}
	filetest.FileIn(t, dir, "z.csv", "x\n1\n")
	mustContain(t, openError(t, Options{Label: "year"}, dir), "z.csv", "year=")
}

func TestOpenGlobs(t *testing.T) {
	dir := t.TempDir()
	filetest.FileIn(t, dir, "b/2.csv", "x\n2\n")
	filetest.FileIn(t, dir, "b/1.csv", "x\n1\n")
	filetest.FileIn(t, dir, "a/deep/3.csv", "x\n3\n")
	filetest.FileIn(t, dir, "a/.hidden/4.csv", "x\n4\n")
	odd := filetest.FileIn(t, dir, "c[1].csv", "x\n5\n")
	for _, c := range []struct {
		path string
		want []float64
	}{
		{"b/*.csv", []float64{1, 2}},
		{"**/*.csv", []float64{3, 1, 2, 5}},
		{"{a,b}", []float64{3, 1, 2}},
		{"?/**", []float64{3, 1, 2}},
	} {
		if diff := cmp.Diff(c.want, numbersOf(t, mustOpen(t, Options{}, filepath.Join(dir, c.path)))); diff != "" {
			t.Errorf("%s: %s", c.path, diff)
		}
	}
	if diff := cmp.Diff([]float64{5}, numbersOf(t, mustOpen(t, Options{}, odd))); diff != "" {
		t.Errorf("a file whose name looks like a glob: %s", diff)
	}
}

// Files named one by one are read in the order of their names on the command line.
func TestOpenKeepsOrderOfArguments(t *testing.T) {
	dir := t.TempDir()
	a, b := filetest.FileIn(t, dir, "a.csv", "x\n1\n"), filetest.FileIn(t, dir, "b.csv", "x\n2\n")
	if diff := cmp.Diff([]float64{2, 1}, numbersOf(t, mustOpen(t, Options{}, b, a))); diff != "" {
		t.Error(diff)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	filetest.FileIn(t, dir, "train.csv", "x\n1\n")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		says []string
	}{
		{"trian.csv", []string{"no such file", "did you mean", "train.csv"}},
		{"empty", []string{"no files"}},
		{"*.parquet", []string{"no file matches", "*.parquet"}},
		{"none/x.csv", []string{"no such file"}},
	} {
		mustContain(t, openError(t, Options{}, filepath.Join(dir, c.path)), c.says...)
	}
	mustContain(t, openError(t, Options{}), "no input")
	mustContain(t, openError(t, Options{Format: "xls"}, dir), "xls", "parquet")
	mustContain(t, openError(t, Options{Layout: Layout{Delimiter: ";;"}}, dir), ";;")
	mustContain(t, openError(t, Options{}, filepath.Join(dir, "train.csv"), "-"), "standard input")
}

// The format of a binary file is that of its first bytes, whatever its extension.
func TestOpenTrustsMagicNotExtension(t *testing.T) {
	dir := t.TempDir()
	rows := column.NewBatch(stream.Info{Columns: []string{"x"}}, 2)
	rows.X.Data[1] = 1
	for _, extension := range []string{".parquet", ".arrow", ".npy", ".nys"} {
		path := filepath.Join(dir, "a"+extension)
		writeBatch(t, path, []string{"x"}, rows)
		for _, wrong := range []string{".csv", ".data", "", ".svm"} {
			other := filepath.Join(dir, "renamed"+wrong)
			if err := os.Rename(path, other); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]float64{0, 1}, numbersOf(t, mustOpen(t, Options{}, other))); diff != "" {
				t.Errorf("%s called %q: %s", extension, wrong, diff)
			}
			if err := os.Rename(other, path); err != nil {
				t.Fatal(err)
			}
		}
		text := filetest.FileIn(t, dir, "text"+extension, "x,y\n1,2\n")
		mustContain(t, openError(t, Options{}, text), "does not begin", extension[1:])
	}
	mustContain(t, openError(t, Options{}, filetest.FileIn(t, dir, "a.dat", "\x01\x02\n")), "a.dat", "format", "csv")
	for name, content := range map[string]string{
		"b.dat": "1,2\n", "c.dat": "  1 2\n", "d.scale": "9 1:1 2:2\n", "e": "# made by hand\n-1 qid:3 1:1 2:2\n",
	} { // text whose extension says nothing
		if diff := cmp.Diff([]float64{1, 2}, numbersOf(t, mustOpen(t, Options{}, filetest.FileIn(t, dir, name, content)))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, content := range map[string]string{
		"a.zip": "PK\x05\x06\x14\x00\x00\x00", "a.h5": "\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00",
		"a.csv.xz": "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4", "a.orc": "ORC\x08\x03\x10\x00\x00\x00",
	} {
		mustContain(t, openError(t, Options{}, filetest.FileIn(t, dir, name, content)), name, "it is")
	}
	if diff := cmp.Diff([]float64{1, 2}, numbersOf(t, mustOpen(t, Options{}, filetest.FileIn(t, dir, "orc.csv", "ORC,PAR1\n1,2\n")))); diff != "" {
		t.Errorf("a header that looks like a magic: %s", diff)
	}
}

func TestOpenStdinText(t *testing.T) {
	src := mustOpen(t, Options{Reader: strings.NewReader("id;x;y\nA;1;2\nB;;9007199254740993\n"), Keep: []string{"id", "y"}}, "-")
	if info := src.Info(); info.Rows != 2 || info.PassesToOpen != 1 {
		t.Errorf("%+v", info)
	}
	for range 2 {
		got := filetest.MustRead(t, src, 1)
		want := []stream.Column{{Kind: stream.String, Strings: []string{"A", "B"}}, {Kind: stream.Int64, Ints: []int64{2, 9007199254740993}}}
		if diff := cmp.Diff(want, got.Kept, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]float64{1, math.NaN()}, got.X.Data, cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	}
	mustContain(t, openError(t, Options{Reader: strings.NewReader("x,y\n1,2\n3\n")}, "-"), "standard input", "line 3")
	mustContain(t, openError(t, Options{Reader: strings.NewReader("")}, "-"), "standard input", "nothing")
	mustContain(t, openError(t, Options{Reader: strings.NewReader("PAR1\x15\x04\x15\x10")}, "-"), "standard input", "Parquet", "make or fetch it again")
	mustContain(t, openError(t, Options{Reader: errReader{}}, "-"), "standard input", "broken pipe")
}

// errReader is a reader that always fails.
type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

// writeVectors writes an Arrow stream of two rows with a vector column emb of width 3 and a label.
func writeVectors(t testing.TB, w io.Writer) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "emb", Type: arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float64)},
		{Name: "y", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	list := b.Field(0).(*array.FixedSizeListBuilder)
	for i := range 2 {
		list.Append(true)
		list.ValueBuilder().(*array.Float64Builder).AppendValues([]float64{float64(10 * i), float64(10*i + 1), float64(10*i + 2)}, nil)
		b.Field(1).(*array.Int64Builder).Append(int64(i + 5))
	}
	s := ipc.NewWriter(w, ipc.WithSchema(schema))
	if err := errors.Join(s.Write(b.NewRecord()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenStdinArrow(t *testing.T) {
	var pipe bytes.Buffer
	writeVectors(t, &pipe)
	src := mustOpen(t, Options{Reader: &pipe, Label: "y"}, "-")
	if info := src.Info(); info.Rows != 2 || info.PassesToOpen != 0 {
		t.Errorf("%+v", info)
	}
	if diff := cmp.Diff([]string{"emb.0", "emb.1", "emb.2"}, src.Info().Columns); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		if diff := cmp.Diff([]float64{0, 1, 2, 10, 11, 12}, numbersOf(t, src)); diff != "" {
			t.Error(diff)
		}
	}
}

// Components of a vector column can be selected in any order.
func TestOpenVectorComponents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	writeVectors(t, f)
	f.Close()
	for columns, want := range map[string][]float64{
		"":            {0, 1, 2, 10, 11, 12}, // y is the label
		"emb":         {0, 1, 2, 10, 11, 12},
		"emb*":        {0, 1, 2, 10, 11, 12},
		"emb.2 emb.0": {2, 0, 12, 10},
		"1:":          {1, 2, 11, 12},
		"!emb.1":      {0, 2, 10, 12},
		"y emb.1":     {5, 1, 6, 11},
	} {
		src := mustOpen(t, Options{Columns: strings.Fields(columns), Label: "y"}, path)
		got := filetest.MustRead(t, src, 1)
		if diff := cmp.Diff(want, got.X.Data); diff != "" {
			t.Errorf("%q: %s", columns, diff)
		}
		if diff := cmp.Diff([]int64{5, 6}, got.Kept[0].Ints); diff != "" {
			t.Errorf("%q: %s", columns, diff)
		}
		part := column.NewBatch(src.Info(), 1)
		if err := src.Gather(context.Background(), []int64{1}, part); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[len(want)/2:], part.X.Data); diff != "" {
			t.Errorf("%q: %s", columns, diff)
		}
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	_, err := io.WriteString(g, text)
	if err := errors.Join(err, g.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// Compressed text may have zeros after a gzip member, several members, or a skippable zstd frame at the beginning (RFC
// 1952 2.2, RFC 8878 3.1.2).
func TestOpenPaddedText(t *testing.T) {
	dir := t.TempDir()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"padded.csv.gz": gzipped(t, "1,2\n") + strings.Repeat("\x00", 1000),
		"two.csv.gz":    gzipped(t, "1,") + "\x00" + gzipped(t, "2\n"),
		"skip.csv.zst":  "\x53\x2a\x4d\x18\x03\x00\x00\x00abc" + string(encoder.EncodeAll([]byte("1,2\n"), nil)),
	} {
		if diff := cmp.Diff([]float64{1, 2}, numbersOf(t, mustOpen(t, Options{}, filetest.FileIn(t, dir, name, content)))); diff != "" {
			t.Error(name, diff)
		}
	}
}

func TestOpenCompressedText(t *testing.T) {
	dir := t.TempDir()
	var zst bytes.Buffer
	gz := gzipped(t, "x,y\n1,2\n3,4\n")
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, "1 1:5 3:6\n-1 2:7\n")
	z.Close()
	if diff := cmp.Diff([]float64{1, 2, 3, 4}, numbersOf(t, mustOpen(t, Options{}, filetest.FileIn(t, dir, "a.csv.gz", gz)))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{1, 2, 3, 4}, numbersOf(t, mustOpen(t, Options{Reader: strings.NewReader(gz)}, "-"))); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"a.svm.zst", "b.zst", "b.dat", "b.bin.zst"} { // by the name, or by what is in it
		src := mustOpen(t, Options{}, filetest.FileIn(t, dir, name, zst.String()))
		if diff := cmp.Diff([]float64{5, 0, 6, 0, 7, 0}, numbersOf(t, src)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	mustContain(t, openError(t, Options{}, filetest.FileIn(t, dir, "n.gz", gzipped(t, "\x93NUMPY\x01\x00"))), "n.gz", "format npy", "decompress")
	cut := filetest.FileIn(t, dir, "cut.csv.gz", gz[:len(gz)-6])
	mustContain(t, openError(t, Options{}, cut), "cut.csv.gz")
	mustContain(t, openError(t, Options{}, filetest.FileIn(t, dir, "a.parquet.gz", gz)), "a.parquet.gz", "decompress")
}

func TestColumnsDescribesFiles(t *testing.T) {
	dir := t.TempDir()
	filetest.FileIn(t, dir, "k=1/a.csv", "n,x,s\n1,0.5,a\n2,0.5,b\n")
	filetest.FileIn(t, dir, "k=2/a.csv", "n,x,s\n1,0.5,a\n")
	columns, rows, err := Columns(context.Background(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []ColumnInfo{{Name: "n", Kind: "integer", Width: 1}, {Name: "x", Kind: "number", Width: 1}, {Name: "s", Kind: "text", Width: 1}, {Name: "k", Kind: "integer", Width: 1, Folder: true}}
	if diff := cmp.Diff(want, columns); diff != "" || rows != 3 {
		t.Error(rows, diff)
	}
}

// A file that has fewer rows in a pass than when it was opened is an error.
func TestOpenFileLosesRows(t *testing.T) {
	dir := t.TempDir()
	path := filetest.FileIn(t, dir, "a.csv", "x\n1\n2\n3\n")
	src := mustOpen(t, Options{}, path)
	filetest.FileIn(t, dir, "a.csv", "x\n1\n2\n")
	if _, err := filetest.ReadAll(src, 10); err == nil {
		t.Error("no error")
	}
}

func TestOpenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := filetest.TempFile(t, "a.csv", "x\n1\n")
	if _, err := Open(ctx, []string{path}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// liar is a source that returns one row, whatever its Info announces.
type liar struct{ info stream.Info }

func (l liar) Info() stream.Info                                    { return l.info }
func (l liar) Open(context.Context, int64) (stream.Reader, error)   { return &liarReader{}, nil }
func (l liar) Gather(context.Context, []int64, *stream.Batch) error { return nil }

type liarReader struct{ done bool }

func (r *liarReader) Read(dst *stream.Batch) (int, error) {
	if r.done {
		return 0, io.EOF
	}
	r.done = true
	return 1, nil
}
func (r *liarReader) Close() error { return nil }

func TestUnionCountsRows(t *testing.T) {
	for rows, ok := range map[int64]bool{0: false, 1: true, 2: false} {
		part := liar{stream.Info{Name: "liar", Columns: []string{"x"}, Rows: rows}}
		u := join([]stream.Gatherer{part}, nil, stream.Info{Columns: []string{"x"}}, selection{}, &member{selector: newSelector(&column.TableInfo{})})
		_, err := filetest.ReadAll(u, 10)
		if (err == nil) != ok {
			t.Errorf("one row where %d are promised: %v", rows, err)
		}
	}
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for year, text := range map[string]string{"2023": "x,y,name\n1,2,a\n", "2024": "x,y,name\n3,4,b\n5,6,c\n"} {
		os.Mkdir(filepath.Join(dir, "year="+year), 0o700)
		os.WriteFile(filepath.Join(dir, "year="+year, "part.csv"), []byte(text), 0o600)
	}
	src, err := Open(context.Background(), []string{dir}, Options{Label: "year", Keep: []string{"name"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(src.Info().Rows, src.Info().Columns, src.Info().Kept[0].Name)
	r, err := src.Open(context.Background(), 0)
	if err != nil {
		panic(err)
	}
	defer r.Close()
	b := &stream.Batch{X: matrix.New(3, 2), Kept: []stream.Column{{Kind: stream.Int64}, {Kind: stream.String}}}
	if _, err := stream.ReadFull(r, b); err != nil && err != io.EOF {
		panic(err)
	}
	fmt.Println(b.X.Data, b.Kept[0].Ints, b.Kept[1].Strings)
	// Output:
	// 3 [x y] year
	// [1 2 3 4 5 6] [2023 2024 2024] [a b c]
}

// Gather may be called by several goroutines at the same time.
func TestGatherConcurrently(t *testing.T) {
	dir := t.TempDir()
	for i, compress := range []bool{false, true} {
		path := writeSample(t, filetest.SampleBatch(5000, 1), map[bool]string{true: "zstd"}[compress])
		if err := os.Rename(path, filepath.Join(dir, fmt.Sprint(i, ".nys"))); err != nil {
			t.Fatal(err)
		}
	}
	src := mustOpen(t, Options{Columns: []string{"a", "score"}, Keep: []string{"name"}}, dir)
	rows := []int64{0, 4095, 4096, 4999, 5000, 9999}
	want := column.NewBatch(src.Info(), len(rows))
	if err := src.Gather(context.Background(), rows, want); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 8 {
		go func() {
			got := column.NewBatch(src.Info(), len(rows))
			err := src.Gather(context.Background(), rows, got)
			if err == nil && !filetest.SameBatch(want, got) {
				err = errors.New("other rows")
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// tiringContext is a context that is cancelled after a number of calls of Err.
type tiringContext struct {
	context.Context
	left atomic.Int64
}

func (c *tiringContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestScanOfTextStops(t *testing.T) {
	for _, name := range []string{"a.csv", "a.svm"} {
		path := filetest.FileIn(t, t.TempDir(), name, strings.Repeat("1 1:2 2:3\n", 1_000_000))
		ctx := &tiringContext{Context: context.Background()}
		ctx.left.Store(5)
		if _, err := Open(ctx, []string{path}, Options{}); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		if left := ctx.left.Load(); left < -20 { // of some 160, one for each piece that is read
			t.Errorf("%s: read on for %d times", name, -left)
		}
	}
}

// Formats reports the formats of files as detected from their bytes, not from their names.
func TestFilesFormats(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "a,b\n1,2\n", "b.txt": "a\tb\n1\t2\n", "c.dat": "1 2\n3 4\n", "d.libsvm": "1 1:2\n", "e": "1|2\n3|4\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Create(filepath.Join(dir, "f.npy"), Schema{Columns: []string{"x"}, Rows: 0})
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]FileFormat{"a.csv": {"", "csv", ","}, "b.txt": {"", "csv", "tab"}, "c.dat": {"", "csv", "space"},
		"d.libsvm": {"", "libsvm", ""}, "e": {"", "csv", "|"}, "f.npy": {"", "npy", ""}} {
		path := filepath.Join(dir, name)
		files, err := OpenFiles(t.Context(), []string{path}, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want.Path = path
		if diff := cmp.Diff([]FileFormat{want}, files.Formats()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
