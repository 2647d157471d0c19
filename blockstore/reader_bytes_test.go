package blockstore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nystream/nystream/stream"
)

func TestReaderBytes(t *testing.T) {
	folder := t.TempDir()
	named := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parquet, table := named("x.parquet", "PAR1\x15\x04\x00"), named("x.csv", "a,b\n")
	wide := stream.Info{Columns: make([]string, 20), Rows: 2_000_000}
	for _, c := range []struct {
		name, format string
		paths        []string
		info         stream.Info
		want         int64
	}{
		{"large", "", []string{parquet}, wide, 21 << 20},
		{"short", "", []string{parquet}, stream.Info{Columns: make([]string, 2), Rows: 10}, 1<<20 + 160},
		{"kept columns count", "", []string{parquet}, stream.Info{Kept: make([]stream.Field, 1), Rows: -1}, 2 << 20},
		{"one of several", "", []string{table, parquet}, wide, 21 << 20},
		{"by its first bytes", "", []string{named("data.bin", "PAR1\x15\x04\x00")}, wide, 21 << 20},
		{"a folder", "", []string{folder}, wide, 21 << 20},
		{"a glob", "", []string{folder + "/*.parquet"}, wide, 21 << 20},
		{"another glob", "", []string{folder + "/*.csv"}, wide, 0},
		{"text", "", []string{table}, wide, 0},
		{"empty", "", []string{named("empty", "")}, wide, 0},
		{"a pipe", "", []string{"-"}, wide, 0},
		{"told", "parquet", []string{table}, wide, 21 << 20},
		{"told another", "csv", []string{parquet}, wide, 0},
	} {
		if got := ReaderBytes(c.format, c.paths, c.info); got != c.want {
			t.Errorf("%s: %d bytes, not %d", c.name, got, c.want)
		}
	}
}
