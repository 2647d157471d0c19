package blockstore

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// charsRead returns the bytes that the process has read so far, as the system counts them.
func charsRead(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if runtime.GOOS != "linux" || err != nil {
		t.Skip("the system does not count what a process reads")
	}
	_, rest, _ := strings.Cut(string(text), "rchar: ")
	number, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Readers of a few rows each, which are the workers of a pass in small blocks, read little more than these rows.
func TestSmallBlocksAreReadAlone(t *testing.T) {
	const columns, block = 5, 128
	path, data := filepath.Join(t.TempDir(), "a.npy"), matrix.New(200*block, columns)
	for i := range data.Data {
		data.Data[i] = float64(i)
	}
	writeBatch(t, path, stream.NumberedColumns(columns), &stream.Batch{X: data})
	src := mustOpen(t, Options{Columns: []string{"0:4"}, Keep: []string{"x4"}}, path)
	info, before := src.Info(), src.ReadStats().Bytes
	const blocks = 20
	for k := range int64(blocks) {
		b := &stream.Batch{X: matrix.New(block, len(info.Columns)), Kept: info.NewKept()}
		if _, err := stream.ReadRows(t.Context(), src, 7*k*block, b); err != nil || b.X.Data[0] != float64(7*k*block*columns) {
			t.Fatalf("block %d: %v %v", k, b.X.Data[0], err)
		}
	}
	if read := src.ReadStats().Bytes - before; read > 2*blocks*block*columns*8 {
		t.Errorf("%d bytes were read of %d", read, blocks*block*columns*8)
	}
}

// What a source says was read of its file is what the system counts, but for .nys, which is mapped, and for the head that
// tells the format of files. A pass reads no less than the columns that it gives.
func TestReadingIsWhatTheSystemCounts(t *testing.T) {
	const rows, columns = 3000, 4
	data := matrix.New(rows, columns)
	for i := range data.Data {
		data.Data[i] = float64(i%977) / 7
	}
	for _, name := range []string{"a.csv", "a.csv.gz", "a.jsonl", "a.libsvm", "a.npy", "a.arrow", "a.arrows", "a.parquet", "a.nys"} {
		path := filepath.Join(t.TempDir(), name)
		writeBatch(t, path, stream.NumberedColumns(columns), &stream.Batch{X: data})
		before := charsRead(t)
		src, err := Open(t.Context(), []string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := src.ReadStats(); n.Rows != 0 || n.ByNumber != 0 || n.Files != 1 || (n.Copies == 1) != strings.HasSuffix(name, ".gz") {
			t.Errorf("%s: opening: %+v", name, n)
		}
		opened := src.ReadStats().Bytes
		if _, err := stream.GatherRows(t.Context(), src, []int64{5, 77, 2900}); err != nil {
			t.Fatal(err)
		}
		if n := src.ReadStats(); n.Rows != 3 || n.ByNumber < 3*8 || n.ByNumber != n.Bytes-opened {
			t.Errorf("%s: rows by number: %+v", name, n)
		}
		gathered := src.ReadStats().Bytes
		if _, err := stream.ReadAll(t.Context(), src); err != nil {
			t.Fatal(err)
		}
		read, counted := src.ReadStats(), charsRead(t)-before
		if info, err := os.Stat(path); err != nil || read.Copies == 0 && read.Size != info.Size() || read.Copies > 0 && read.Size <= info.Size() {
			t.Errorf("%s: its size is %d, not %d (%v)", name, info.Size(), read.Size, err)
		}
		if pass := read.Bytes - gathered; pass < read.Size/2 || pass > read.Size*3/2 {
			t.Errorf("%s: a pass read %d of %d bytes", name, pass, read.Size)
		}
		if name == "a.nys" {
			continue
		}
		if other := counted - read.Bytes; other < 0 || other > 1<<12 { // /proc/self/io itself is read
			t.Errorf("%s: %d bytes were counted, and the system read %d", name, read.Bytes, counted)
		}
	}
}

// What a source says was fetched of an object is what its server counts.
func TestReadingIsWhatTheServerCounts(t *testing.T) {
	s := startStore(t)
	data := matrix.New(30_000, 4)
	for i := range data.Data {
		data.Data[i] = float64(i%977) / 7
	}
	for _, name := range []string{"a.csv", "a.csv.gz", "a.npy", "a.parquet", "a.nys"} {
		path := filepath.Join(t.TempDir(), name)
		writeBatch(t, path, stream.NumberedColumns(4), &stream.Batch{X: data})
		url := s.PutFile(path)
		requests, bytes := s.Requests.Load(), s.Bytes.Load()
		src, err := Open(t.Context(), []string{url}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.GatherRows(t.Context(), src, []int64{5, 77, 29_000}); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.ReadAll(t.Context(), src); err != nil {
			t.Fatal(err)
		}
		read := src.ReadStats()
		requests, bytes = s.Requests.Load()-requests, s.Bytes.Load()-bytes
		if read.Requests != requests {
			t.Errorf("%s: %d requests were counted, and the server had %d", name, read.Requests, requests)
		}
		if read.Copies == 0 && read.Bytes != bytes || read.Bytes < bytes {
			t.Errorf("%s: %d bytes were counted, and the server sent %d", name, read.Bytes, bytes)
		}
	}
}

// A row of text is fetched with little of what stands around it.
func TestRowsOfTextAreFetchedAlone(t *testing.T) {
	const rows, apart = 20_000, 500
	data := matrix.New(rows, 6)
	for i := range data.Data {
		data.Data[i] = float64(i) / 7
	}
	var wanted []int64
	for row := int64(apart / 2); row < rows; row += apart {
		wanted = append(wanted, row)
	}
	for _, name := range []string{"a.csv", "a.jsonl", "a.libsvm"} {
		path := filepath.Join(t.TempDir(), name)
		writeBatch(t, path, stream.NumberedColumns(6), &stream.Batch{X: data})
		src, err := Open(t.Context(), []string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := stream.GatherRows(t.Context(), src, wanted)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range wanted {
			if got.Data[i*got.Stride+2] != data.Data[row*6+2] {
				t.Fatalf("%s: row %d has %g", name, row, got.Data[i*got.Stride+2])
			}
		}
		if n := src.ReadStats(); n.ByNumber > int64(len(wanted))*3<<10 {
			t.Errorf("%s: %d bytes of %d were read for %d rows", name, n.ByNumber, n.Size, n.Rows)
		}
	}
}

// A small file of pages is read once for rows by number and passes together where its rows may be kept. The rows are the
// same, also while several goroutines ask for them, and a change of the file is still noticed.
func TestRowsOfSmallFilesAreKept(t *testing.T) {
	const rows, columns = 40_000, 3
	data := matrix.New(rows, columns)
	for i := range data.Data {
		data.Data[i] = float64(i) / 7
	}
	data.Data[5] = math.NaN()
	var wanted []int64
	for row := int64(1); row < rows; row += 97 {
		wanted = append(wanted, row)
	}
	for _, name := range []string{"a.parquet", "a.nys"} {
		path := filepath.Join(t.TempDir(), name)
		writeBatch(t, path, stream.NumberedColumns(columns), &stream.Batch{X: data})
		readTwice := func(keep int64) (ReadStats, *Source) {
			src, err := Open(t.Context(), []string{path}, Options{Columns: []string{"x2", "x0"}, Keep: []string{"x1"}})
			if err != nil {
				t.Fatal(err)
			}
			src.Keep(keep)
			for range 2 {
				got := stream.Batch{X: matrix.New(len(wanted), 2), Kept: src.Info().NewKept()}
				if err := src.Gather(t.Context(), wanted, &got); err != nil {
					t.Fatal(err)
				}
				for i, row := range wanted {
					if got.X.Data[2*i+1] != data.Data[3*row] || got.Kept[0].Floats[i] != data.Data[3*row+1] {
						t.Fatalf("%s: row %d differs", name, row)
					}
				}
			}
			err = stream.Each(t.Context(), 4, 4, func(k int) error {
				all, first := column.NewBatch(src.Info(), 1000), int64(k)*9001
				if _, err := stream.ReadRows(t.Context(), src, first, all); err != nil {
					return err
				}
				for i := range 1000 {
					if row := 3 * (first + int64(i)); math.Float64bits(all.X.Data[2*i]) != math.Float64bits(data.Data[row+2]) ||
						math.Float64bits(all.Kept[0].Floats[i]) != math.Float64bits(data.Data[row+1]) {
						return fmt.Errorf("row %d differs", row/3)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := stream.ReadAll(t.Context(), src); err != nil {
				t.Fatal(err)
			}
			return src.ReadStats(), src
		}
		if n, _ := readTwice(rows*columns*8 - 1); n.Times() < 2.5 {
			t.Errorf("%s: without room it was read %g times", name, n.Times())
		}
		n, src := readTwice(rows * columns * 8)
		if n.Times() > 1.1 {
			t.Errorf("%s: it was read %g times", name, n.Times())
		}
		src.Keep(0)
		if _, err := stream.ReadAll(t.Context(), src); err != nil || src.ReadStats().Times() < 1.5 {
			t.Errorf("%s: rows that were given up are kept: %+v (%v)", name, src.ReadStats(), err)
		}
		_, src = readTwice(rows * columns * 8)
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
		if _, err := stream.ReadAll(t.Context(), src); err == nil || !strings.Contains(err.Error(), "changed") {
			t.Errorf("%s: the change is not noticed: %v", name, err)
		}
	}
}
