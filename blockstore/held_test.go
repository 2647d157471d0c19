package blockstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// held returns the heap bytes kept alive by the result of f.
func held(f func() any) int64 {
	var before, after runtime.MemStats
	for range 2 { // memory kept in pools is freed by the second collection
		runtime.GC()
	}
	runtime.ReadMemStats(&before)
	kept := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// writeZeros writes a file of zeros.
func writeZeros(t *testing.T, path string, rows, columns int) {
	t.Helper()
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(columns), Rows: int64(rows)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort() // does nothing after Commit
	if err := w.Write(&stream.Batch{X: matrix.New(rows, columns)}, rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// A budget counts the memory of open files, which grows with their columns.
func TestOpenBytes(t *testing.T) {
	for _, format := range []string{"parquet", "arrow", "csv", "npy"} {
		folder := t.TempDir()
		for i := range 100 {
			writeZeros(t, filepath.Join(folder, fmt.Sprintf("%d.%s", i, format)), 2, 100)
		}
		var src *blockstore.Source
		bytes := held(func() any {
			var err error
			if src, err = blockstore.Open(t.Context(), []string{folder}, blockstore.Options{}); err != nil {
				t.Fatal(err)
			}
			return src
		})
		if counted := src.OpenBytes(); bytes > counted {
			t.Errorf("%s: open files hold %d bytes, and %d are counted", format, bytes, counted)
		}
	}
}

// A budget counts the memory of a reader of many columns.
func TestHoldsOfManyColumns(t *testing.T) {
	for _, format := range []string{"parquet", "arrow", "arrows"} {
		t.Run(format, func(t *testing.T) { holdsOfManyColumns(t, format) })
	}
}

// holdsOfManyColumns compares the announced memory of a reader of 2,000 columns with the measured one.
func holdsOfManyColumns(t *testing.T, format string) {
	path := filepath.Join(t.TempDir(), "wide."+format)
	writeZeros(t, path, 1000, 2000)
	src, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	batch := &stream.Batch{X: matrix.New(500, 2000)}
	if format == "parquet" {
		batch.X.Rows = 1 // a page of each column, most of which is left
	}
	bytes := held(func() any {
		r, err := src.Open(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		if _, err := r.Read(batch); err != nil {
			t.Fatal(err)
		}
		return r
	})
	runtime.KeepAlive(batch)
	if counted := src.Info().ReaderBytes; bytes > counted {
		t.Errorf("a reader holds %d bytes, and %d are counted", bytes, counted)
	}
}

// The announced memory of a writer is at least the measured one, with its last batch and one batch of garbage, and not
// much larger.
func TestWriterHolds(t *testing.T) {
	for _, c := range []struct {
		format        string
		rows, columns int
		most          int64 // that may be counted
	}{{"arrow", 700, 2000, 16 << 20}, {"parquet", 1500, 2000, 96 << 20}} {
		schema := blockstore.Schema{Columns: stream.NumberedColumns(c.columns), Rows: -1}
		batch := &stream.Batch{X: matrix.New(100, c.columns)}
		var most int64
		bytes := held(func() any {
			w, err := blockstore.Create(filepath.Join(t.TempDir(), "wide."+c.format), schema)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.Abort)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range c.rows / 100 {
				if err := w.Write(batch, 100); err != nil {
					t.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				most = max(most, int64(after.HeapAlloc)-int64(before.HeapAlloc))
			}
			return w
		})
		most = max(most, bytes)
		counted := blockstore.WriterBytes(c.format, c.columns)
		t.Logf("%s: %d MiB are held, %d are counted", c.format, most>>20, counted>>20)
		if counted < most || counted > c.most {
			t.Errorf("%s: a writer holds %d bytes, and %d are counted", c.format, most, counted)
		}
	}
}

// A file with more columns than the memory limit allows is refused, in every format.
func TestMemoryOfColumns(t *testing.T) {
	for _, format := range []string{"csv", "tsv", "jsonl", "libsvm", "npy", "parquet", "arrow", "nys"} {
		path := filepath.Join(t.TempDir(), "wide."+format)
		if format == "libsvm" {
			if err := os.WriteFile(path, []byte("1 5000:1\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		} else {
			writeZeros(t, path, 2, 5000)
		}
		for memory, refused := range map[int64]bool{0: false, 1 << 20: true, 4 << 20: false} {
			_, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{Memory: memory})
			over := new(stream.OverBudgetError)
			if errors.As(err, &over) != refused || !refused && err != nil {
				t.Errorf("%s, %d bytes: %v", format, memory, err)
			}
			if refused && (err == nil || !strings.Contains(err.Error(), "raise `Engine.Memory`")) {
				t.Errorf("%s: the refusal is %v", format, err)
			}
		}
	}
}
