package blockstore

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// Compressed files of every format are read as they were written, and their bytes are reproducible.
func TestWriteCompressed(t *testing.T) {
	dir := t.TempDir()
	want := filetest.SampleBatch(3000, 5)
	write := func(path, compression string) []byte {
		t.Helper()
		w, err := Create(path, Schema{Columns: filetest.SampleInfo.Columns, Kept: filetest.SampleInfo.Kept, Rows: -1, Compression: compression})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if err := w.Write(want, want.X.Rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for _, test := range []struct{ name, compression, magic string }{
		{"a.csv.gz", "", "\x1f\x8b"}, {"b.csv.zst", "", "\x28\xb5\x2f\xfd"}, {"c.TSV.GZ", "gzip", "\x1f\x8b"},
		{"d.parquet", "zstd", "PAR1"}, {"e.parquet", "gzip", "PAR1"}, {"f.parquet", "snappy", "PAR1"}, {"g.parquet", "none", "PAR1"}, {"h.nys", "zstd", "\x89NYS"},
	} {
		path := filepath.Join(dir, test.name)
		content := write(path, test.compression)
		if !bytes.HasPrefix(content, []byte(test.magic)) {
			t.Errorf("%s begins with %q", test.name, content[:4])
		}
		if !bytes.Equal(content, write(path, test.compression)) {
			t.Errorf("%s is other bytes the second time", test.name)
		}
		src := mustOpen(t, Options{Columns: filetest.SampleInfo.Columns, Keep: []string{"id", "score"}}, path)
		got := filetest.MustRead(t, src, 100)
		plain := filepath.Join(dir, "plain.nys")
		write(plain, "")
		same := filetest.MustRead(t, mustOpen(t, Options{Columns: filetest.SampleInfo.Columns, Keep: []string{"id", "score"}}, plain), 100)
		if diff := filetest.Diff(same, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	for name, compression := range map[string]string{"a.npy": "zstd", "b.parquet": "xz", "c.csv": "gzip", "d.csv.gz": "zstd", "e.npy.gz": "", "f.arrow": "zstd"} {
		if w, err := Create(filepath.Join(dir, name), Schema{Columns: []string{"a"}, Rows: -1, Compression: compression}); err == nil {
			w.Abort()
			t.Errorf("%s: no error", name)
		}
	}
}
