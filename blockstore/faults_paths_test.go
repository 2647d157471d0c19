package blockstore

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow"

	"github.com/nystream/nystream/blockstore/archive"
	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// badChanges are files of every format that are cut while they are read. What is said names
// the time.
func badChanges(t *testing.T) (list []badFile) {
	const rows = 20000
	// add reads some of a file, changes it, and reads on.
	add := func(name, what, content string, o Options, change func(path string) error) {
		list = append(list, badFile{name: name, what: what, content: content, mutant: true, kind: stream.Changed, ask: func(ctx context.Context, path string) error {
			src, err := Open(ctx, []string{path}, o)
			if err != nil {
				return err
			}
			r, err := src.Open(ctx, 0)
			if err != nil {
				return err
			}
			defer r.Close()
			b := column.NewBatch(src.Info(), 3)
			if _, err := r.Read(b); err != nil {
				return err
			}
			if err := change(path); err != nil {
				return err
			}
			for err == nil {
				_, err = r.Read(b)
			}
			return err
		}})
	}
	for _, name := range []string{"a.csv", "a.jsonl", "a.libsvm", "a.npy", "a.parquet", "a.arrow", "a.nys"} {
		path := filepath.Join(t.TempDir(), name)
		writeBatch(t, path, []string{"x", "y"}, &stream.Batch{X: matrix.New(rows, 2)})
		add(name, "is cut while it is read", string(contentOf(t, path)), Options{}, func(path string) error { return os.Truncate(path, 2000) })
	}
	// rewrite writes other bytes in the place of some.
	rewrite := func(at int64, other string) func(path string) error {
		return func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteAt([]byte(other), at)
				err = errors.Join(err, f.Close())
			}
			return err
		}
	}
	for name, lines := range map[string][2]string{"a.jsonl": {"{\"a\":1}\n", "{\"b\":1}\n"}, "a.libsvm": {"1 1:1\n", "1 9:1\n"}, "a.csv": {"true,1\n", "trux,1\n"}} {
		add(name, "is written anew while it is read", strings.Repeat(lines[0], 30*rows), Options{}, rewrite(int64(len(lines[0]))*(30*rows-1), lines[1]))
	}
	b := arrowBytes(t, false, arrowXY(arrow.PrimitiveTypes.Float64), arrowNumbers, 3)
	for what, change := range map[string]func(m *arrowMessage){
		"has another batch while it is read": func(m *arrowMessage) { m.meta.slot(1)[0] = 2 },
		"has more rows while it is read":     func(m *arrowMessage) { put64(m.batch().slot(0), 4) },
	} {
		other := bytes.Clone(b)
		change(&arrowMessages(other)[3])
		add("a.arrows", what, string(b), Options{}, rewrite(0, string(other)))
	}
	return list
}

// badPaths are paths that stand for no files, or for files that do not fit together.
func badPaths(t *testing.T) (list []badFile) {
	// add asks for some of what is below a folder of files, each under its name.
	add := func(called, what string, files map[string]string, o Options) {
		list = append(list, badFile{name: "folder", what: what, called: called, ask: func(ctx context.Context, path string) error {
			folder := filepath.Dir(path)
			for name, content := range files {
				filetest.FileIn(t, folder, name, content)
			}
			t.Chdir(folder)
			src, err := Open(ctx, strings.Split(called, "+"), o)
			if err == nil {
				_, err = filetest.ReadAll(src, 7)
			}
			return err
		}})
		f := &list[len(list)-1]
		f.called = f.called[strings.LastIndex(called, "+")+1:]
	}
	one := map[string]string{"d/a.csv": "a,b\n1,2\n", "d/b.csv": "a\n1\n", "d/c.csv": "a,b\n1,x\n2,y\n", "d/d.csv": "1,2\n", "d/e.csv": "1,2,3\n", "d/k=1/a.csv": "a,b\n1,2\n", "n/_a.csv": "a\n1\n"}
	add("d/aa.csv", "a file that is not there, and one nearly so", one, Options{})
	add("d/zzzzzzzz.parquet", "a file that is not there", one, Options{})
	add("nowhere/a.csv", "a folder that is not there", one, Options{})
	add("d/*.npy", "a glob of nothing", one, Options{})
	add("d/[a.csv", "a glob with an open bracket", one, Options{})
	add("n", "a folder of nothing", one, Options{})
	add("t", "a table of Delta", map[string]string{"t/_delta_log/0.json": "{}", "t/a.parquet": ""}, Options{})
	add("file://host/a.csv", "a file of another machine", one, Options{})
	add("d/a.csv+d/b.csv", "files of which one lacks a column", one, Options{Columns: []string{"a", "b"}})
	add("d/a.csv+d/c.csv", "files of which one has text instead of numbers", one, Options{Columns: []string{"b"}})
	add("d/a.csv+d/c.csv", "files of which one has text instead of numbers to be carried along", one, Options{Columns: []string{"a"}, Keep: []string{"b"}})
	add("d/a.csv+d/e.csv", "files of which one has no names", one, Options{})
	add("d/d.csv+d/e.csv", "files without names of different widths", one, Options{Layout: Layout{NoHeader: true}})
	add("d/k=1/a.csv+d/a.csv", "files in folders and others", one, Options{Keep: []string{"k"}})
	if runtime.GOOS != "windows" {
		list = append(list, badFile{name: "folder", called: "/dev/null", what: "a pipe of nothing", ask: func(ctx context.Context, _ string) error {
			_, err := Open(ctx, []string{"/dev/null"}, Options{})
			return err
		}})
	}
	list = append(list, badFile{name: "folder/a.csv", called: "*.csv", what: "a glob of other files than before", content: "a\n1\n", ask: func(ctx context.Context, path string) error {
		s := new(Session)
		t.Chdir(filepath.Dir(path))
		if _, err := s.Open(ctx, []string{"*.csv"}, Options{}); err != nil {
			return err
		}
		filetest.FileIn(t, ".", "b.csv", "a\n2\n")
		_, err := s.Open(ctx, []string{"*.csv"}, Options{})
		return err
	}})
	for what, paths := range map[string][]string{"no paths": {}, "a file and the standard input": {"-", filetest.TempFile(t, "a.csv", "a\n1\n")}} {
		list = append(list, badFile{name: "settings", what: what, ask: func(ctx context.Context, _ string) error {
			_, err := Open(ctx, paths, Options{Reader: strings.NewReader("a\n1\n")})
			return err
		}})
	}
	for what, in := range map[string]string{"Parquet": "PAR1\x00\x00\x00\x00PAR1", "compressed Parquet": gzipped(t, "PAR1\x00\x00\x00\x00PAR1"), "nothing": ""} {
		list = append(list, badFile{name: "pipe", called: "standard input", what: what, ask: func(ctx context.Context, _ string) error {
			_, err := Open(ctx, []string{"-"}, Options{Reader: strings.NewReader(in)})
			return err
		}})
	}
	list = append(list,
		badFile{name: "settings", what: "a standard input that is not there", ask: func(ctx context.Context, _ string) error {
			_, err := Open(ctx, []string{"-"}, Options{})
			return err
		}},
		badFile{name: "pipe", called: "standard input", what: "a format that is not read there", ask: func(ctx context.Context, _ string) error {
			_, err := Open(ctx, []string{"-"}, Options{Reader: strings.NewReader("a\n1\n"), Format: "npy"})
			return err
		}})
	return sorted(list)
}

// badOutputs are files that cannot be written.
func badOutputs(t *testing.T) (list []badFile) {
	add := func(name, what string, s Schema, b *stream.Batch) {
		list = append(list, badFile{name: "out/" + name, what: what, ask: func(_ context.Context, path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			w, err := Create(path, s)
			if err != nil {
				return err
			}
			defer w.Abort()
			if b != nil {
				if err := w.Write(b, b.X.Rows); err != nil {
					return err
				}
			}
			return w.Commit()
		}})
	}
	xy := Schema{Columns: []string{"x", "y"}, Rows: -1}
	text := Schema{Columns: []string{"x"}, Kept: []stream.Field{{Name: "y", Kind: stream.String}}, Rows: -1}
	words := func(word string) *stream.Batch {
		return &stream.Batch{X: matrix.New(1, 1), Kept: []stream.Column{{Kind: stream.String, Strings: []string{word}}}}
	}
	infinite := &stream.Batch{X: matrix.New(1, 2)}
	infinite.X.Data[1] = math.Inf(1)
	add("a.xls", "an unknown extension", xy, nil)
	add("a.dat", "an unknown format", Schema{Columns: []string{"x"}, Format: "xls"}, nil)
	add("a.parquet.gz", "compressed, though it is no text", Schema{Columns: []string{"x"}, Format: "parquet"}, nil)
	add("a.csv.gz", "two compressions", Schema{Columns: []string{"x"}, Compression: "zstd"}, nil)
	add("a.parquet", "an unknown compression", Schema{Columns: []string{"x"}, Compression: "zip"}, nil)
	add("a.csv", "fewer rows than announced", Schema{Columns: []string{"x", "y"}, Rows: 2}, infinite)
	add("a.parquet", "two columns of a name", Schema{Columns: []string{"x", "x"}, Rows: -1}, nil)
	add("a.parquet", "no columns", Schema{Rows: -1}, nil)
	add("a.arrow", "no columns", Schema{Rows: -1}, nil)
	add("a.npy", "text in an array", text, nil)
	add("a.jsonl", "two columns of a name", Schema{Columns: []string{"x", "x"}, Rows: -1}, nil)
	add("a.jsonl", "a name that is no UTF-8", Schema{Columns: []string{"caf\xe9"}, Rows: -1}, nil)
	add("a.jsonl", "an infinite number", xy, infinite)
	add("a.libsvm", "two labels", Schema{Columns: []string{"x"}, Kept: []stream.Field{{Name: "y"}, {Name: "z"}}, Rows: -1}, nil)
	add("a.libsvm", "a label of two words", text, words("a b"))
	add("a.libsvm", "more columns than can be read again", Schema{Columns: stream.NumberedColumns(1000001), Rows: -1}, nil)
	folder := func(called, what string, make func(path string) error) {
		list = append(list, badFile{name: "out/a.csv", what: what, mutant: called == "", kind: stream.Unwritable, ask: func(_ context.Context, path string) error {
			if err := errors.Join(os.Remove(path), make(path)); err != nil {
				return err
			}
			_, err := Create(path, xy)
			return err
		}})
	}
	folder("", "a folder", func(path string) error { return os.Mkdir(path, 0o700) })
	folder("a.csv", "a folder that is not there", func(path string) error { return os.Remove(filepath.Dir(path)) })
	if runtime.GOOS != "windows" {
		list = append(list, badFile{name: "out", called: "/dev/null", what: "no regular file", ask: func(context.Context, string) error {
			_, err := Create("/dev/null", Schema{Columns: []string{"x"}, Format: "csv"})
			return err
		}})
		folder("a.csv", "a link to nothing", func(path string) error { return os.Symlink("nothing", path) })
	}
	pipes := func(what string, s Schema, then func(w Writer) error, room int) {
		list = append(list, badFile{name: "pipe", called: "cannot write the pipe", what: what, ask: func(context.Context, string) error {
			p := fullPipe(room)
			w, err := NewWriter(&p, "the pipe", s)
			if err == nil {
				err = then(w)
			}
			return err
		}})
	}
	commit := func(w Writer) error {
		if err := w.Write(infinite, 1); err != nil {
			return err
		}
		return w.Commit()
	}
	pipes("a format that is written to files alone", Schema{Columns: []string{"x"}, Format: "arrow"}, commit, 1000)
	pipes("a pipe that is closed", Schema{Columns: []string{"x", "y"}, Format: "csv", Rows: -1}, commit, 1)
	return list
}

// badArchives are files of models.
func badArchives(t *testing.T) (list []badFile) {
	add := func(what, content string, then func(a *archive.Archive) error) {
		list = append(list, badFile{name: "a.npz", what: what, content: content, ask: func(_ context.Context, path string) error {
			a, err := archive.Read(path)
			if err == nil {
				err = then(a)
			}
			return err
		}})
	}
	none := func(*archive.Archive) error { return nil }
	head := func(descr, shape string, data int) string {
		return npyFile("{'descr': '"+descr+"', 'fortran_order': False, 'shape': "+shape+", }", data)
	}
	file := func(name, content string) *zip.FileHeader {
		return &zip.FileHeader{Name: name, Comment: content, UncompressedSize64: uint64(len(content)), CompressedSize64: uint64(len(content)), CRC32: crc32.ChecksumIEEE([]byte(content))}
	}
	huge := file("a.npy", "")
	huge.UncompressedSize64, huge.CompressedSize64 = 1<<40, 1<<40
	packed := file("a.npy", "")
	packed.Method = zip.Deflate
	add("no model", "hello", none)
	add("of a newer version", strings.Replace(sealedArchive(t, file("meta.json", "{}")), "nystream archive 1 ", "nystream archive 2 ", 1), none)
	add("damaged", strings.Replace(sealedArchive(t, file("meta.json", "{}")), "{}", "{ ", 1), none)
	add("no description", sealedArchive(t), none)
	add("a member twice", sealedArchive(t, file("meta.json", "{}"), file("meta.json", "{}")), none)
	add("a member that is compressed", sealedArchive(t, file("meta.json", "{}"), packed), none)
	add("a member larger than the file", sealedArchive(t, file("meta.json", "{}"), huge), none)
	add("a member of another kind", sealedArchive(t, file("meta.json", "{}"), file("b.txt", "")), none)
	add("an array of half numbers", sealedArchive(t, file("meta.json", "{}"), file("a.npy", head("<f4", "(2,)", 8))), none)
	add("an array that is too short", sealedArchive(t, file("meta.json", "{}"), file("a.npy", head("<f8", "(9,)", 8))), none)
	list = append(list, badFile{name: "folder/a.npz", called: ".", what: "a folder instead of a model", ask: func(_ context.Context, path string) error {
		t.Chdir(filepath.Dir(path))
		_, err := archive.Read(".")
		return err
	}})
	list = append(list, badFile{name: "a.npz", what: "a description that is no JSON", ask: func(_ context.Context, path string) error {
		return archive.Write(path, &archive.Archive{Meta: []byte("{"), Arrays: []array.Array{}})
	}})
	return list
}

// sealedArchive returns a model file of any members, whose comments are what they hold, with
// the digest that fits them.
func sealedArchive(t *testing.T, members ...*zip.FileHeader) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		content := m.Comment
		m.Comment = ""
		w, err := z.CreateRaw(m)
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.SetComment("nystream archive 1 sha256 "+strings.Repeat("0", 64)), z.Close()); err != nil {
		t.Fatal(err)
	}
	body := b.Bytes()[:b.Len()-64]
	digest := sha256.Sum256(body)
	return string(body) + hex.EncodeToString(digest[:])
}
