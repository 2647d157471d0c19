package parquet

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// publishedParquet returns the test files of parquet-go: those of the parquet-testing project, Impala, Spark, Rust and
// others.
func publishedParquet(t *testing.T) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	if err != nil {
		t.Skipf("the module cache cannot be found: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Skip("parquet-go has come without its test data; go mod download github.com/parquet-go/parquet-go brings it")
	}
	return files
}

// parquet-go v0.32 reads empty strings for some rows of this file.
const misreadByLibrary = "lz4_raw_compressed_larger.parquet"

// The footer of this file declares no rows, but its row group has six.
const contradictory = "repeated_no_annotation.parquet"

// tooLarge reports whether a file has more than 1 MB.
func tooLarge(t *testing.T, path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size() > 1e6
}

// Every column of every published file has the values that parquet-go reads.
func TestParquetPublishedFiles(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, path := range publishedParquet(t) {
		if testing.Short() && tooLarge(t, path) {
			continue
		}
		tb, err := Open(context.Background(), nil, path)
		if filepath.Base(path) == contradictory {
			filetest.WantError(t, err, "6 rows, the file should hold 0")
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for i, c := range tb.(*table).leaves {
			if c.Kind == column.Other {
				continue
			}
			if filepath.Base(path) == misreadByLibrary {
				checkMisread(t, tb)
				continue
			}
			want, err := libraryColumn(path, i)
			if err != nil {
				t.Errorf("%s: the library: %v", path, err)
				continue
			}
			if bad := firstNoText(c.Kind, want); bad >= 0 {
				checkNoText(t, tb, i, bad)
			} else {
				compareColumn(t, tb, i, want)
			}
			compared++
		}
	}
	if compared < 200 {
		t.Errorf("only %d columns were compared", compared)
	}
}

// firstNoText returns the index of the first value of a text column that is not valid UTF-8, or −1.
func firstNoText(kind column.Kind, values []parquet.Value) int {
	if kind != column.Text {
		return -1
	}
	return slices.IndexFunc(values, func(v parquet.Value) bool { return !v.IsNull() && !utf8.Valid(v.ByteArray()) })
}

// checkNoText expects an error for a kept text column whose value in the given row is not valid UTF-8.
func checkNoText(t *testing.T, tb column.Table, leaf, row int) {
	t.Helper()
	src, err := column.Choose(tb, nil, []int{leaf})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = filetest.Slurp(src, 1000)
	filetest.WantError(t, err, fmt.Sprintf("row %d ", row), tb.About().Columns[leaf].Name, "no UTF-8")
}

// checkMisread compares the first and last strings of that file with those expected by Arrow's own tests.
func checkMisread(t *testing.T, tb column.Table) {
	t.Helper()
	src, err := column.Choose(tb, nil, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	_, kept, err := filetest.Slurp(src, 1000)
	if err != nil {
		t.Fatal(err)
	}
	got := kept[0].Strings
	if len(got) != 10000 || got[0] != "c7ce6bef-d5b0-4863-b199-8ea8c7fb117b" || got[9999] != "85440778-460a-41ac-aa2e-ac3ee41696bf" {
		t.Errorf("%d strings from %q to %q", len(got), got[0], got[len(got)-1])
	}
}

// libraryColumn reads the values of a leaf with parquet-go.
func libraryColumn(path string, leaf int) ([]parquet.Value, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(file, stat.Size())
	if err != nil {
		return nil, err
	}
	var all []parquet.Value
	for _, group := range f.RowGroups() {
		pages := group.ColumnChunks()[leaf].Pages()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			values := make([]parquet.Value, page.NumValues())
			if n, err := page.Values().ReadValues(values); n < len(values) {
				return nil, err
			}
			for _, v := range values {
				all = append(all, v.Clone())
			}
		}
		pages.Close()
	}
	return all, nil
}

// compareColumn reads a column of tb in every way and compares it with want.
func compareColumn(t *testing.T, tb column.Table, leaf int, want []parquet.Value) {
	t.Helper()
	c := tb.(*table).leaves[leaf]
	if c.Kind != column.Text {
		src, err := column.ChooseInexact(tb, []int{leaf}, nil, column.InexactRound)
		if err != nil {
			t.Error(err)
			return
		}
		rows, _, err := filetest.Slurp(src, 100)
		if err != nil {
			if c.Kind != column.Vector {
				t.Errorf("%v", err)
			}
			return
		}
		if len(rows) < 500 {
			filetest.CheckGather(t, src)
		}
		if c.Kind == column.Vector {
			return // the lists of these files have several lengths
		}
		got := slices.Concat(rows...)
		if len(got) != len(want) {
			t.Errorf("%s: %q: %d values, want %d", tb.About().Path, c.Name, len(got), len(want))
			return
		}
		for i, v := range want {
			if w := floatOf(&c, v); w != got[i] && !(math.IsNaN(w) && math.IsNaN(got[i])) {
				t.Fatalf("%s: %q: value %d is %v, want %v", tb.About().Path, c.Name, i, got[i], w)
			}
		}
		return
	}
	src, err := column.Choose(tb, nil, []int{leaf})
	if err != nil {
		t.Error(err)
		return
	}
	_, kept, err := filetest.Slurp(src, 100)
	if err != nil {
		t.Error(err)
		return
	}
	if len(want) < 500 {
		filetest.CheckGather(t, src)
	}
	compareTexts(t, tb.About().Path, &kept[0], want)
}

func compareTexts(t *testing.T, path string, got *stream.Column, want []parquet.Value) {
	t.Helper()
	if len(got.Strings) != len(want) {
		t.Errorf("%s: %d values, want %d", path, len(got.Strings), len(want))
		return
	}
	for i, v := range want {
		if !got.Null(i) == v.IsNull() || !v.IsNull() && string(v.ByteArray()) != got.Strings[i] {
			t.Fatalf("%s: value %d is %q, want %q", path, i, got.Strings[i], v)
		}
	}
}

// floatOf returns the number that a value of parquet-go represents.
func floatOf(c *leafColumn, v parquet.Value) float64 {
	if v.IsNull() {
		return math.NaN()
	}
	scaled := func(i int64) float64 { return float64(i) / math.Pow10(c.format.Scale) }
	switch v.Kind() {
	case parquet.Boolean:
		return map[bool]float64{true: 1}[v.Boolean()]
	case parquet.Int32:
		if c.format.Form == column.UnsignedForm {
			return float64(v.Uint32())
		}
		return scaled(int64(v.Int32()))
	case parquet.Int64:
		return scaled(v.Int64())
	case parquet.Int96:
		moment := v.Int96()
		days := time.Date(1970, 1, 1+int(moment[2])-2440588, 0, 0, 0, 0, time.UTC)
		return float64(days.UnixNano() + int64(moment[1])<<32 + int64(moment[0]))
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	}
	if c.format.Form == column.Float16Form {
		return column.HalfFloat(uint16(v.ByteArray()[0]) | uint16(v.ByteArray()[1])<<8)
	}
	big := column.BigEndianInt(string(v.ByteArray()))
	return scaled(big.Int64())
}
