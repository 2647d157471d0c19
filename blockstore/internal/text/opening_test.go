package text

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// partFormats are the formats scanned in parts, with a sample row.
var partFormats = []struct {
	name, head, row string
	scan            func(ctx context.Context, in Input) error
}{
	{"csv", "a,b\n", "0.25,1\n", func(ctx context.Context, in Input) error {
		_, err := scanInParts(ctx, in.File, in.Stamp, dialect{Delimiter: ',', begin: fileStart}, 2)
		return err
	}},
	{"jsonl", "", `{"a":0.25,"b":1}` + "\n", func(ctx context.Context, in Input) error {
		_, err := scanJSON(ctx, in, 2)
		return err
	}},
	{"libsvm", "", "1 1:0.25 2:1\n", func(ctx context.Context, in Input) error {
		_, err := scanLibsvm(ctx, in.File, in.Stamp, 2, IndexBaseAuto)
		return err
	}},
}

// Opening holds the scans of a few parts at a time, for any number of parts.
func TestOpeningHoldsFewParts(t *testing.T) {
	defer func(n int64) { partBytes = n }(partBytes)
	partBytes = 2 << 10
	for _, format := range partFormats {
		few, many := heapOfOpening(t, format.scan, format.head, format.row, 20), heapOfOpening(t, format.scan, format.head, format.row, 200)
		if many > few+10*lineBuffer {
			t.Errorf("%s: opening 200 parts holds %d bytes, 20 parts %d", format.name, many, few)
		}
	}
}

// heapOfOpening returns the largest live heap in bytes while a file of the given number of parts is opened.
func heapOfOpening(t testing.TB, scan func(context.Context, Input) error, head, row string, parts int64) uint64 {
	path := filetest.TempFile(t, "a", head+strings.Repeat(row, int(parts*partBytes)/len(row)))
	f, stamp, err := new(file.Session).Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	measured := &measuredFile{File: f, every: int(parts) / 4}
	if err := scan(context.Background(), Input{path, measured, stamp}); err != nil {
		t.Fatal(err)
	}
	return measured.most
}

// measuredFile measures the live heap after every few reads.
type measuredFile struct {
	file.File
	mutex        sync.Mutex
	reads, every int
	most         uint64
}

func (f *measuredFile) ReadAt(p []byte, offset int64) (int, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.reads++; f.reads%f.every == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		f.most = max(f.most, m.HeapAlloc)
	}
	return f.File.ReadAt(p, offset)
}

// BenchmarkOpen reports the time and the largest live heap of opening files of two sizes.
func BenchmarkOpen(b *testing.B) {
	for _, format := range partFormats {
		for _, parts := range []int64{8, 32} {
			b.Run(fmt.Sprintf("%s/%dMiB", format.name, parts*partBytes>>20), func(b *testing.B) {
				b.SetBytes(parts * partBytes)
				for b.Loop() {
					b.ReportMetric(float64(heapOfOpening(b, format.scan, format.head, format.row, parts))/(1<<20), "MiB-live")
				}
			})
		}
	}
}
