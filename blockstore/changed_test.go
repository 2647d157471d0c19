package blockstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// longAgo is the modification time of test files. The clock of the file system has advanced since, so that a change is
// visible.
var longAgo = time.Now().Add(-time.Hour).Truncate(time.Second)

// changes are ways to replace or alter a file.
var changes = map[string]func(t testing.TB, path string){
	"edited in place": editInPlace,
	"cut": func(t testing.TB, path string) {
		if err := os.Truncate(path, int64(len(contentOf(t, path))/2)); err != nil {
			t.Fatal(err)
		}
	},
	"longer": func(t testing.TB, path string) {
		content := contentOf(t, path)
		write(t, path, append(content, content[len(content)/2:]...))
	},
	"replaced by another of the same size and time": func(t testing.TB, path string) {
		other := filepath.Join(t.TempDir(), "other")
		write(t, other, edited(contentOf(t, path)))
		setTime(t, other)
		if err := os.Rename(other, path); err != nil {
			t.Fatal(err)
		}
	},
	"written again as it was": func(t testing.TB, path string) { write(t, path, contentOf(t, path)) },
	"removed": func(t testing.TB, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	},
}

// edited returns a copy of content with a byte in the middle changed.
func edited(content []byte) []byte {
	content[len(content)/2] ^= 1
	return content
}

// editInPlace changes a byte in the middle of a file, which keeps its size and inode.
func editInPlace(t testing.TB, path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(edited(contentOf(t, path)), 0); err != nil {
		t.Fatal(err)
	}
}

// contentOf returns the bytes of a file.
func contentOf(t testing.TB, path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t testing.TB, path string, content []byte) {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// setTime sets the modification time of a file to longAgo.
func setTime(t testing.TB, path string) {
	if err := os.Chtimes(path, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
}

// wantChanged fails unless err is a DataError that says that the file was changed. For a removed file, an error of
// opening suffices.
func wantChanged(t testing.TB, when, path string, err error) {
	t.Helper()
	if missing := (*fs.PathError)(nil); errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) && missing.Path == path {
		return
	}
	var data *stream.DataError
	if !errors.As(err, &data) || data.Path != path || !errors.Is(err, file.ErrChanged) {
		t.Errorf("%s: got %v", when, err)
	}
}

// A file of any format that changes after it was opened is refused by the next read, whenever the change happens.
func TestChangedFiles(t *testing.T) {
	t.Parallel()
	const n, d = 3000, 3
	rows := matrix.New(n, d)
	for i := range rows.Data {
		rows.Data[i] = float64(i) / 64
	}
	for _, format := range []string{".csv", ".libsvm", ".npy", ".parquet", ".arrow", ".arrows", ".nys"} {
		template := filepath.Join(t.TempDir(), "template"+strings.Replace(format, "arrows", "arrow", 1))
		writeBatch(t, template, stream.NumberedColumns(d), &stream.Batch{X: rows})
		content := contentOf(t, template)
		if format == ".arrows" {
			content = streamOf(t, content)
		}
		for name, change := range changes {
			t.Run(format+"/"+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "a"+format)
				opened := func() *Source {
					write(t, path, content)
					setTime(t, path)
					return mustOpen(t, Options{}, path)
				}
				checkChanged(t, path, opened, change)
			})
		}
	}
}

// checkChanged changes a file at several moments, and expects each read afterwards to fail.
func checkChanged(t *testing.T, path string, opened func() *Source, change func(testing.TB, string)) {
	ctx := context.Background()
	src := opened()
	change(t, path)
	_, err := filetest.ReadAll(src, 100)
	wantChanged(t, "before a pass", path, err)
	err = src.Gather(ctx, []int64{2500}, column.NewBatch(src.Info(), 1))
	wantChanged(t, "before rows are fetched", path, err)

	src = opened()
	filetest.MustRead(t, src, 100)
	change(t, path)
	_, err = filetest.ReadAll(src, 100)
	wantChanged(t, "between two passes", path, err)

	r, b := begun(t, opened())
	change(t, path)
	for err = nil; err == nil; {
		_, err = r.Read(b)
	}
	wantChanged(t, "during a pass", path, err)
	if err := r.Close(); err != nil {
		t.Errorf("closed after the error: %v", err)
	}

	r, _ = begun(t, opened())
	change(t, path)
	wantChanged(t, "before a reader is closed half way", path, r.Close())

	if runtime.GOOS == "windows" {
		return // a file that is read by others cannot be removed there
	}
	var once sync.Once
	_, err = stream.MapRows(ctx, stream.Engine{Threads: 3, BlockRows: 100}, "test", opened(), 1, func() func(blas64.General, *stream.Block) error {
		return func(_ blas64.General, b *stream.Block) error {
			if b.Index == 20 {
				once.Do(func() { change(t, path) })
			}
			return nil
		}
	})
	wantChanged(t, "while several readers go over it", path, err)

	late := &lateSource{Source: opened(), last: make(chan struct{}), change: func() { change(t, path) }}
	_, err = stream.MapRows(ctx, stream.Engine{Threads: 2, BlockRows: 2000}, "test", late, 1, late.worker)
	wantChanged(t, "when the reader of the last rows has ended, while another reads", path, err)
	late = &lateSource{Source: opened(), last: make(chan struct{}), change: func() { change(t, path) }}
	_, err = stream.Fold(ctx, stream.Engine{Threads: 2, BlockRows: 2000}, "test", late, func() *sketch.Gram { return sketch.NewGram(1, 1) },
		func() func(*sketch.Gram, *stream.Block) error {
			do := late.worker()
			return func(_ *sketch.Gram, b *stream.Block) error { return do(blas64.General{}, b) }
		})
	wantChanged(t, "when the reader of the last rows has ended, while a fold reads", path, err)
}

// lateSource is a source of two blocks. The rows of its first block are read last, after the file was changed.
type lateSource struct {
	stream.Source
	last   chan struct{}
	change func()
}

func (s *lateSource) Info() stream.Info {
	info := s.Source.Info()
	info.SeekCost = 1
	return info
}

func (s *lateSource) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := s.Source.Open(ctx, first)
	if err == nil && first == 0 {
		r = &lateReader{Reader: r, source: s}
	}
	return r, err
}

// worker closes the last reader when it gets the second block, which was read to the end of the file.
func (s *lateSource) worker() func(blas64.General, *stream.Block) error {
	return func(_ blas64.General, b *stream.Block) error {
		if b.Index == 1 {
			close(s.last)
		}
		return nil
	}
}

type lateReader struct {
	stream.Reader
	source *lateSource
	once   sync.Once
}

func (r *lateReader) Read(dst *stream.Batch) (int, error) {
	part := *dst
	r.once.Do(func() {
		part.X = matrix.Rows(dst.X, 0, 1) // of the old file, which is open by then
		<-r.source.last
	})
	n, err := r.Reader.Read(&part)
	if dst.Kept = part.Kept; part.X.Rows == 1 {
		r.source.change()
	}
	return n, err
}

// begun opens a source and reads some rows.
func begun(t *testing.T, src stream.Source) (stream.Reader, *stream.Batch) {
	t.Helper()
	r, err := src.Open(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	b := column.NewBatch(src.Info(), 100)
	if n, err := r.Read(b); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	return r, b
}

// Reading a file, and changes of its mode, links or name that leave its bytes alone, are no change. A cancelled pass
// reports its cancellation and nothing else.
func TestUnchangedFiles(t *testing.T) {
	path := filetest.TempFile(t, "a.csv", strings.Repeat("1,2\n3,4\n", 5000))
	src := mustOpen(t, Options{}, path)
	contentOf(t, path)
	for _, touch := range []func() error{
		func() error { return nil },
		func() error { return os.Chmod(path, 0o640) },
		func() error { return os.Link(path, path+".other") },
		func() error { return os.Remove(path + ".other") },
		func() error { return errors.Join(os.Rename(path, path+".away"), os.Rename(path+".away", path)) },
	} {
		if err := touch(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // more than a tick of the file system's clock
		filetest.MustRead(t, src, 1000)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := src.Open(ctx, 100)
	if err != nil {
		t.Fatal(err)
	}
	b := column.NewBatch(src.Info(), 10)
	if n, err := r.Read(b); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	editInPlace(t, path)
	cancel()
	if _, err := r.Read(b); err != context.Canceled {
		t.Errorf("a pass that was given up: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A session refuses a file or folder that differs from what it was at the first opening. Without a session, or without
// a change, it can be opened again.
func TestSessionRemembers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "a.csv")
	write(t, path, []byte(strings.Repeat("1,2\n3,4\n", 10)))
	ctx, s := context.Background(), new(Session)
	open := func(path string) error {
		_, err := s.Open(ctx, []string{path}, Options{})
		return err
	}
	for _, p := range []string{path, folder, filepath.Join(folder, "*.csv"), path, folder} {
		if err := open(p); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(folder, "b.csv")
	write(t, other, contentOf(t, path))
	for _, p := range []string{folder, filepath.Join(folder, "*.csv")} {
		filetest.WantError(t, open(p), p+": its files are others than when it was first looked at: "+other+" has come")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	filetest.WantError(t, open(folder), other+" has come")
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	wantChanged(t, "opened again", path, open(path))
	wantChanged(t, "opened again in its folder", path, open(folder))
	s = new(Session)
	if err := open(folder); err != nil {
		t.Errorf("in another session: %v", err)
	}
	if _, err := Open(ctx, []string{folder}, Options{}); err != nil {
		t.Errorf("outside the session: %v", err)
	}
}

// A gather is refused if the file changes between its first and its last read.
func TestChangedWhileFetched(t *testing.T) {
	path := filetest.TempFile(t, "a.csv", strings.Repeat("1,2\n3,4\n", 5000))
	setTime(t, path)
	src := mustOpen(t, Options{}, path)
	ctx := &changing{Context: context.Background(), change: func() { editInPlace(t, path) }}
	err := src.Gather(ctx, []int64{10, 20}, column.NewBatch(src.Info(), 2))
	if !ctx.done {
		t.Fatal("the file was not changed in between")
	}
	wantChanged(t, "while rows are fetched", path, err)
}

// changing is a context that changes a file when its error is asked for the second time.
type changing struct {
	context.Context
	asked  int
	done   bool
	change func()
}

func (c *changing) Err() error {
	if c.asked++; c.asked == 2 {
		c.change()
		c.done = true
	}
	return nil
}
