package blockstore

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// manyMutants returns the number of damaged files of each format: $MUTANTS, such as 20000, or few.
func manyMutants(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("MUTANTS")); err == nil {
		return n
	}
	if testing.Short() {
		return 20
	}
	return 100
}

// rawWords matches the words of a Go panic, which no user should read.
var rawWords = regexp.MustCompile(`runtime error|index out of range|slice bounds|nil pointer|interface conversion|makeslice|invalid memory|reflect:`)

const (
	mutantRows  = 120
	mutantTime  = time.Minute
	mutantBytes = 1 << 30 // that reading one may allocate in all
)

// mutantOutcomes counts damaged files by the result of reading them.
type mutantOutcomes struct{ refused, read, raw, fewer, altered, greedy int }

// TestManyMutants damages files of every format. Each is either refused with a readable error, or read within limits of
// time and memory: with all rows if the format stores their number, and with the same values if checksums cover the
// damage. MUTANTS=20000 go test -run TestManyMutants -v -timeout 2h ./blockstore tries more.
func TestManyMutants(t *testing.T) {
	dir := t.TempDir()
	for _, f := range mutantFiles(t, dir) {
		t.Run(f.name, func(t *testing.T) {
			healthy, err := os.ReadFile(f.path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := mutantRead(t.Context(), f.path)
			if err != nil || want.X.Rows != mutantRows {
				t.Fatalf("the healthy file: %v", err)
			}
			var out mutantOutcomes
			random := rand.New(rand.NewPCG(21, 5))
			path := filepath.Join(dir, "mutant"+filepath.Ext(f.path))
			n := manyMutants(t)
			for k := range n {
				b := filetest.Mutant(random, healthy)
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
				same := want
				if !f.covers(healthy, b) {
					same = nil
				}
				tryMutant(t, &out, f, path, k, same)
				if t.Failed() && out.raw+out.fewer+out.altered+out.greedy > 20 {
					t.Fatal("enough")
				}
			}
			t.Logf("%d mutants: %d refused, %d read, %d raw panics, %d with other numbers of rows, %d with other values, %d that take too much memory",
				n, out.refused, out.read, out.raw, out.fewer, out.altered, out.greedy)
		})
	}
}

// tryMutant opens and reads a damaged file. Its values must equal want unless that is nil.
func tryMutant(t *testing.T, out *mutantOutcomes, f mutantFile, path string, k int, want *stream.Batch) {
	type result struct {
		rows *stream.Batch
		err  error
	}
	before, done := allocated(), make(chan result, 1)
	go func() {
		b, err := mutantRead(context.Background(), path)
		done <- result{b, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-time.After(mutantTime):
		t.Fatalf("mutant %d hangs", k)
	}
	switch {
	case r.err == nil:
		out.read++
		if f.counts && r.rows.X.Rows != mutantRows {
			out.fewer++
			t.Errorf("mutant %d: %d rows of %d without an error", k, r.rows.X.Rows, mutantRows)
		} else if want != nil && !filetest.SameBatch(want, r.rows) {
			out.altered++
			t.Errorf("mutant %d: other values without an error", k)
		}
	default:
		out.refused++
		if rawWords.MatchString(r.err.Error()) {
			out.raw++
			t.Errorf("mutant %d: %v", k, r.err)
		}
	}
	if took := allocated() - before; took > mutantBytes {
		out.greedy++
		t.Errorf("mutant %d: %d bytes were allocated; %v", k, took, r.err)
	}
}

// allocated returns the bytes allocated by the process so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// mutantRead reads all columns of a file.
func mutantRead(ctx context.Context, path string) (*stream.Batch, error) {
	files, err := OpenFiles(ctx, []string{path}, Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	src, err := everything(files)
	if err != nil {
		return nil, err
	}
	return filetest.ReadAll(src, 50)
}

// everything selects all columns: numbers as features, text and integers as kept columns.
func everything(files *Files) (stream.Source, error) {
	var o Options
	columns, _ := files.Columns()
	for _, c := range columns {
		switch c.Kind {
		case "text", "integer":
			o.Keep = append(o.Keep, c.Name)
		case "number", "vector":
			o.Columns = append(o.Columns, c.Name)
		}
	}
	return files.Source(o)
}

// mutantFile is a healthy file, with what its format guarantees about damaged copies.
type mutantFile struct {
	name, path string
	counts     bool // the format stores the number of rows
	checksums  bool // cover all bytes, except the footer of Parquet
}

// covers reports whether checksums cover all bytes in which a mutant differs. A file cut within its first four bytes is
// read as text.
func (f mutantFile) covers(healthy, mutant []byte) bool {
	footer := 0
	if n := len(healthy); strings.HasSuffix(f.name, ".parquet") {
		footer = 8 + int(binary.LittleEndian.Uint32(healthy[n-8:]))
	}
	return f.checksums && len(mutant) >= 4 && bytes.HasSuffix(mutant, healthy[len(healthy)-footer:])
}

// mutantFiles writes a file of each format.
func mutantFiles(t *testing.T, dir string) (list []mutantFile) {
	t.Helper()
	b := filetest.SampleBatch(mutantRows, 9)
	for _, f := range []struct {
		name, compression string
		counts, checksums bool
	}{
		{"rows.parquet", "", true, true}, {"packed.parquet", "zstd", true, true},
		{"snappy.parquet", "snappy", true, true}, {"gzip.parquet", "gzip", true, true},
		{"rows.arrow", "", true, false}, {"rows.arrows", "", true, false},
		{"rows.nys", "", true, true}, {"packed.nys", "zstd", true, true},
		{"rows.csv", "", false, false}, {"rows.tsv", "", false, false}, {"rows.csv.gz", "", false, true}, {"rows.csv.zst", "", false, true},
	} {
		path := filepath.Join(dir, f.name)
		w, err := Create(path, Schema{Columns: filetest.SampleInfo.Columns, Kept: filetest.SampleInfo.Kept, Rows: mutantRows, Compression: f.compression})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if err := w.Write(b, mutantRows); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		list = append(list, mutantFile{f.name, path, f.counts, f.checksums})
	}
	numbers := &stream.Batch{X: b.X}
	for _, name := range []string{"rows.npy", "rows.libsvm"} {
		path := filepath.Join(dir, name)
		writeBatch(t, path, filetest.SampleInfo.Columns, numbers)
		list = append(list, mutantFile{name, path, name == "rows.npy", false})
	}
	matrix, err := os.ReadFile(filepath.Join(dir, "rows.npy"))
	if err != nil {
		t.Fatal(err)
	}
	for name, method := range map[string]uint16{"rows.npz": zip.Store, "packed.npz": zip.Deflate} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		m, err := w.CreateHeader(&zip.FileHeader{Name: "X.npy", Method: method})
		if err == nil {
			_, err = m.Write(matrix)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, mutantFile{name, filetest.FileIn(t, dir, name, out.String()), true, true})
	}
	var lines strings.Builder
	for i := range mutantRows {
		fmt.Fprintf(&lines, "{\"a\":%d,\"v\":[%g,null],\"s\":\"t\\u00e9%d\",\"b\":%t}\n", i, float64(i)/7, i, i%2 == 0)
	}
	return append(list, mutantFile{"rows.jsonl", filetest.FileIn(t, dir, "rows.jsonl", lines.String()), false, false})
}
