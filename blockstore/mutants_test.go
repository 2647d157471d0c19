package blockstore

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// manyMutants returns how many damaged files of each format are tried: what the variable
// MUTANTS says, such as 20000.
func manyMutants(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("MUTANTS")); err == nil {
		return n
	}
	if testing.Short() {
		return 20
	}
	return 100
}

// rawWords are what the run-time system says of a panic, which no user is to read.
var rawWords = regexp.MustCompile(`runtime error|index out of range|slice bounds|nil pointer|interface conversion|makeslice|invalid memory|reflect:`)

const (
	mutantRows  = 120
	mutantTime  = time.Minute
	mutantBytes = 1 << 30 // that reading one may allocate in all
)

// mutantOutcomes counts what became of damaged files.
type mutantOutcomes struct{ refused, read, raw, fewer, greedy int }

// Every format, damaged again and again: it is refused with an error that is no raw panic, or
// read, with all its rows where the format counts them, in good time and without much memory.
// MUTANTS=20000 go test -run TestManyMutants -v -timeout 2h ./blockstore tries more.
func TestManyMutants(t *testing.T) {
	dir := t.TempDir()
	for _, f := range mutantFiles(t, dir) {
		t.Run(f.name, func(t *testing.T) {
			healthy, err := os.ReadFile(f.path)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := mutantRead(t.Context(), f.path); err != nil || n != mutantRows {
				t.Fatalf("the healthy file: %d rows, %v", n, err)
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
				tryMutant(t, &out, f, path, k)
				if t.Failed() && out.raw+out.fewer+out.greedy > 20 {
					t.Fatal("enough")
				}
			}
			t.Logf("%d mutants: %d refused, %d read, %d raw panics, %d with other numbers of rows, %d that take too much memory", n, out.refused, out.read, out.raw, out.fewer, out.greedy)
		})
	}
}

// tryMutant opens and reads one damaged file.
func tryMutant(t *testing.T, out *mutantOutcomes, f mutantFile, path string, k int) {
	type result struct {
		rows int
		err  error
	}
	before, done := allocated(), make(chan result, 1)
	go func() {
		n, err := mutantRead(context.Background(), path)
		done <- result{n, err}
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
		if f.counts && r.rows != mutantRows {
			out.fewer++
			t.Errorf("mutant %d: %d rows of %d without an error", k, r.rows, mutantRows)
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

// allocated returns how many bytes were allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// mutantRead reads all that a file has: numbers, and text as kept columns.
func mutantRead(ctx context.Context, path string) (rows int, err error) {
	files, err := OpenFiles(ctx, []string{path}, Options{Threads: 1})
	if err != nil {
		return 0, err
	}
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
	src, err := files.Source(o)
	if err != nil {
		return 0, err
	}
	r, err := src.Open(ctx, 0)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	b := column.NewBatch(src.Info(), 50)
	for {
		n, err := stream.ReadFull(r, b)
		if rows += n; err == io.EOF {
			return rows, nil
		} else if err != nil {
			return rows, err
		}
	}
}

// mutantFile is a healthy file.
type mutantFile struct {
	name, path string
	counts     bool // its format says how many rows it has
}

// mutantFiles writes a file of each format.
func mutantFiles(t *testing.T, dir string) (list []mutantFile) {
	t.Helper()
	b := filetest.SampleBatch(mutantRows, 9)
	for _, f := range []struct {
		name, compression string
		counts            bool
	}{{"rows.parquet", "", true}, {"packed.parquet", "zstd", true}, {"rows.arrow", "", true}, {"rows.arrows", "", true}, {"rows.nys", "", true}, {"packed.nys", "zstd", true},
		{"rows.csv", "", false}, {"rows.csv.gz", "", false}, {"rows.csv.zst", "", false}} {
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
		list = append(list, mutantFile{f.name, path, f.counts})
	}
	numbers := &stream.Batch{X: b.X}
	for _, name := range []string{"rows.npy", "rows.libsvm"} {
		path := filepath.Join(dir, name)
		writeBatch(t, path, filetest.SampleInfo.Columns, numbers)
		list = append(list, mutantFile{name, path, name == "rows.npy"})
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
		list = append(list, mutantFile{name, filetest.FileIn(t, dir, name, out.String()), true})
	}
	var lines strings.Builder
	for i := range mutantRows {
		fmt.Fprintf(&lines, "{\"a\":%d,\"v\":[%g,null],\"s\":\"t\\u00e9%d\",\"b\":%t}\n", i, float64(i)/7, i, i%2 == 0)
	}
	return append(list, mutantFile{"rows.jsonl", filetest.FileIn(t, dir, "rows.jsonl", lines.String()), false})
}
