package blockstore

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// Latin-1 text is read if its encoding is named. Otherwise its numbers are read, and its text is an error with row and
// column.
func TestLatin1NeedsItsEncodingNamed(t *testing.T) {
	const latin1 = "a;stra\xdfe;b\n1;caf\xe9;2\n3;x;4\n"
	dir := t.TempDir()
	for name, content := range map[string]string{"a.csv": latin1, "b.csv.gz": gzipped(t, latin1), "c.dat": latin1, "d.txt": latin1} {
		path := filetest.FileIn(t, dir, name, content)
		for _, o := range []Options{{Columns: []string{"a", "b"}}, {Columns: []string{"a", "b"}, Layout: Layout{Encoding: "latin1"}}} {
			if name == "c.dat" && o.Encoding == "" {
				continue
			}
			if diff := cmp.Diff([]float64{1, 2, 3, 4}, numbersOf(t, mustOpen(t, o, path))); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		src := mustOpen(t, Options{Layout: Layout{Encoding: "latin1"}, Keep: []string{"straße"}}, path)
		if got := filetest.MustRead(t, src, 3).Kept[0].Strings; !cmp.Equal(got, []string{"café", "x"}) {
			t.Errorf("%s: %q", name, got)
		}
		if name != "c.dat" {
			mustContain(t, openError(t, Options{Keep: []string{"1"}}, path), name, "column 1", "0xdf",
				"`Layout.Encoding latin1`")
		}
	}
	path := filetest.FileIn(t, dir, "e.csv", "a,s\n1,x\n2,caf\xe9\n")
	_, err := filetest.ReadAll(mustOpen(t, Options{Keep: []string{"s"}}, path), 3)
	filetest.WantError(t, err, "e.csv", "row 1", `column "s"`, "line 3", "byte 3", "0xe9", "`Layout.Encoding latin1`")
	path = filetest.FileIn(t, dir, "f.svm", "caf\xe9 1:2\nb 1:3\n")
	numbersOf(t, mustOpen(t, Options{}, path))
	_, err = filetest.ReadAll(mustOpen(t, Options{Label: "label"}, path), 3)
	filetest.WantError(t, err, "f.svm", "row 0", "0xe9", "`Layout.Encoding latin1`")
	mustContain(t, openError(t, Options{Layout: Layout{Encoding: "shift_jis"}}, filetest.FileIn(t, dir, "g.csv", "a\n1\n\xfd\xfd\n")), "g.csv", "line 3", "shift_jis")
	mustContain(t, openError(t, Options{Layout: Layout{Encoding: "klingon"}}, path), "klingon", "latin1")
	npy := filetest.FileIn(t, dir, "h.npy", "\x93NUMPY\x01\x00")
	mustContain(t, openError(t, Options{Layout: Layout{Encoding: "latin1"}}, npy), "h.npy", "`Layout.Encoding`", "npy")
	npy = filepath.Join(dir, "i.npy")
	writeBatch(t, npy, []string{"a"}, &stream.Batch{X: blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{7}}})
	if diff := cmp.Diff([]float64{7}, numbersOf(t, mustOpen(t, Options{Layout: Layout{Encoding: "latin1"}, TextElsewhere: true}, npy))); diff != "" {
		t.Error(diff)
	}
}

// UTF-16 is detected by its byte order mark, in files and pipes, compressed or not.
func TestUTF16(t *testing.T) {
	wide := "\xff\xfe"
	for _, c := range "x,s\r\n1,\u65e5\r\n2,b\r\n" {
		wide += string([]byte{byte(c), byte(c >> 8)})
	}
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "b.csv.gz", "c", "-"} {
		content := wide
		if strings.HasSuffix(name, ".gz") {
			content = gzipped(t, wide)
		}
		o, path := Options{Keep: []string{"s"}}, name
		if name == "-" {
			o.Reader = strings.NewReader(content)
		} else {
			path = filetest.FileIn(t, dir, name, content)
		}
		b := filetest.MustRead(t, mustOpen(t, o, path), 3)
		if !cmp.Equal(b.X.Data, []float64{1, 2}) || !cmp.Equal(b.Kept[0].Strings, []string{"日", "b"}) {
			t.Errorf("%s: %v %q", name, b.X.Data, b.Kept[0].Strings)
		}
	}
}

// Kept text is verbatim: NA, and ids with leading zeros. If one file has such ids, the column is text in all of them.
// Such columns can still be features.
func TestKeptVerbatim(t *testing.T) {
	dir := t.TempDir()
	const rows = "id,land,x\n007,NA,1\n10,null,2\n,,3\n8,DE,4\n"
	for name, content := range map[string]string{"a.csv": rows, "b.csv.gz": gzipped(t, rows)} {
		path := filetest.FileIn(t, dir, name, content)
		b := filetest.MustRead(t, mustOpen(t, Options{Columns: []string{"x"}, Keep: []string{"id", "land"}}, path), 2)
		if !cmp.Equal(b.Kept[0].Strings, []string{"007", "10", "", "8"}) || !b.Kept[0].Null(2) {
			t.Errorf("%s: %q", name, b.Kept[0].Strings)
		}
		if !cmp.Equal(b.Kept[1].Strings, []string{"NA", "null", "", "DE"}) || b.Kept[1].Null(0) || !b.Kept[1].Null(2) {
			t.Errorf("%s: %q", name, b.Kept[1].Strings)
		}
		if got := numbersOf(t, mustOpen(t, Options{Columns: []string{"id"}}, path)); got[0] != 7 || got[1] != 10 {
			t.Error(name, got)
		}
	}
	one := filetest.FileIn(t, dir, "c1.csv", "id,x\n10,1\n")
	two := filetest.FileIn(t, dir, "c2.csv", "id,x\n07,1\n")
	b := filetest.MustRead(t, mustOpen(t, Options{Columns: []string{"x"}, Keep: []string{"id"}}, one, two), 2)
	if !cmp.Equal(b.Kept[0].Strings, []string{"10", "07"}) {
		t.Error(b.Kept[0].Strings)
	}
}

// Strings of Parquet and Arrow files that are not valid UTF-8 are refused as kept values.
func TestStringsThatAreNoUTF8(t *testing.T) {
	rows := make([]string, 3000)
	for i := range rows {
		rows[i] = "\u00e9" // two bytes
	}
	rows[2500] = "caf\xe9"
	for _, name := range []string{"a.parquet", "a.arrow", "a.arrows"} {
		path := filepath.Join(t.TempDir(), name)
		s := Schema{Columns: []string{"x"}, Kept: []stream.Field{{Name: "s", Kind: stream.String}}, Rows: int64(len(rows))}
		if name == "a.arrows" {
			s.Format = "arrow-stream"
		}
		w, err := Create(path, s)
		if err != nil {
			t.Fatal(err)
		}
		b := &stream.Batch{X: blas64.General{Rows: len(rows), Cols: 1, Stride: 1, Data: make([]float64, len(rows))},
			Kept: []stream.Column{{Kind: stream.String, Strings: rows}}}
		if err := w.Write(b, len(rows)); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		numbersOf(t, mustOpen(t, Options{}, path))
		for _, o := range []Options{{Keep: []string{"s"}}, {Label: "s"}} {
			src := mustOpen(t, o, path)
			_, err = filetest.ReadAll(src, 1000)
			filetest.WantError(t, err, name, "row 2500", `column "s"`, "byte 3", "0xe9", "no UTF-8", "write it anew")
			if name != "a.arrows" {
				err = src.Gather(context.Background(), []int64{7, 2500}, filetest.NewBatch(src, 2))
				filetest.WantError(t, err, name, "row 2500", `column "s"`, "byte 3")
			}
		}
	}
}
