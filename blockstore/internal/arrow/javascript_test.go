package arrow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// The file was written by version 21.2.0 of the package apache-arrow for JavaScript:
//
//	tableToIPC(tableFromArrays({a: Float64Array.from([1, 2, 3]), b: Float64Array.from([4, 5, 6]), who: ['x', 'y', 'x']}), 'file')
//
// It has its schema in the footer alone.
func TestJavaScriptFile(t *testing.T) {
	path := filepath.Join("testdata", "javascript.arrow")
	tb, err := filetest.Opened(path, Open)
	if err != nil {
		t.Fatal(err)
	}
	src, err := filetest.Readable(tb)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := filetest.Slurp(src, 2)
	if err != nil || len(rows) != 3 || rows[0][0] != 1 || rows[2][1] != 6 {
		t.Errorf("rows %v, %v", rows, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "cut.arrow")
	for cut := range b {
		if err := os.WriteFile(other, b[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := filetest.Opened(other, Open); err == nil {
			t.Errorf("%d bytes of %d are enough", cut, len(b))
		}
	}
}

// A stream may end without its end mark, as some writers leave it, but not within a message or before its schema.
func TestStreamWithoutEndMark(t *testing.T) {
	b := smallArrow(t, 60, false)
	b = b[:len(b)-8]
	path := filepath.Join(t.TempDir(), "x.arrows")
	for cut, whole := range map[int]bool{0: true, 1: false, 4: false, 8: false, len(b): false} {
		if err := os.WriteFile(path, b[:len(b)-cut], 0o666); err != nil {
			t.Fatal(err)
		}
		tb, err := filetest.Opened(path, Open)
		if whole != (err == nil) || whole && (!tb.About().Unmarked || tb.About().Rows != 60) {
			t.Errorf("without its last %d bytes: %v", cut, err)
		}
	}
}
