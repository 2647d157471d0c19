package blockstore_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// held returns the bytes of memory that what f returns keeps.
func held(f func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
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

// A budget counts what open files hold, by their columns.
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

// A budget counts what a reader of many columns holds.
func TestHoldsOfManyColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wide.parquet")
	writeZeros(t, path, 1000, 2000)
	src, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	batch := &stream.Batch{X: matrix.New(1, 2000)}
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
	if counted := src.Info().ReaderBytes; bytes > counted {
		t.Errorf("a reader holds %d bytes, and %d are counted", bytes, counted)
	}
}
