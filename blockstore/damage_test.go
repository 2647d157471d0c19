package blockstore

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v16/arrow/ipc"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

var damagedFiles = flag.Int("mutants", 100, "damaged files made of each format in TestDamagedFilesNeverPanic")

// damageLimit is the time limit for reading one damaged file of a few kB.
const damageLimit = time.Minute

// damageResult classifies the reading of one damaged file.
type damageResult int

const (
	refused damageResult = iota // an error
	caught                      // an error that was a panic before guard caught it
	altered                     // read without an error, other numbers
	same                        // read without an error, the same numbers
	fewer                       // read without an error, fewer rows
	damageResults
)

// TestDamagedFilesNeverPanic damages healthy files of every written format and reads them. No damage may cause a panic
// or a hang. A source returns exactly the rows that it announces, and formats that store the number of rows return no
// fewer. A store detects any damage.
//
//	go test ./blockstore -run TestDamagedFilesNeverPanic -v -args -mutants 2000
func TestDamagedFilesNeverPanic(t *testing.T) {
	t.Parallel()
	t.Logf("%-16s %8s %8s %8s %8s %8s %8s", "format", "mutants", "refused", "caught", "altered", "same", "fewer")
	mutants := *damagedFiles
	if testing.Short() {
		mutants = min(mutants, 40)
	}
	for number, format := range []string{".npy", ".csv", ".libsvm", ".parquet", ".arrow", ".arrows", ".nys", ".compressed.nys"} {
		healthy, schema := healthyFile(t, format)
		path := filepath.Join(t.TempDir(), "damaged"+format)
		want, err := readDamaged(t, path, healthy, schema)
		if err != nil {
			t.Fatalf("%s: the healthy file: %v", format, err)
		}
		rng := rand.New(rand.NewPCG(20, uint64(number)))
		var count [damageResults]int
		for i := range mutants {
			damaged, what := damage(rng, healthy)
			if bytes.Equal(damaged, healthy) {
				count[same]++
				continue
			}
			got, err := readDamaged(t, path, damaged, schema)
			r := judge(want, got, err)
			count[r]++
			if complaint := forbidden(format, r, err); complaint != "" {
				t.Errorf("%s mutant %d (%s): %s", format, i, what, complaint)
				keepDamaged(t, path, i, damaged)
			}
		}
		t.Logf("%-16s %8d %8d %8d %8d %8d %8d", format, mutants, count[refused], count[caught], count[altered], count[same], count[fewer])
	}
}

// judge compares the rows read with those of the healthy file.
func judge(want, got *stream.Batch, err error) damageResult {
	switch {
	case errors.As(err, new(*fault.ReaderError)):
		return caught
	case err != nil:
		return refused
	case got.X.Rows < want.X.Rows:
		return fewer
	case !filetest.SameBatch(want, got):
		return altered
	}
	return same
}

// forbidden returns why a result is not allowed, "" if it is. A truncated text file may be a smaller healthy one.
// Formats that store the number of rows must return all of them.
func forbidden(format string, r damageResult, err error) string {
	text := format == ".csv" || format == ".libsvm"
	switch {
	case errors.Is(err, errUnforgivable):
		return err.Error()
	case r == fewer && !text:
		return "fewer rows and no error"
	case r > caught && strings.HasSuffix(format, ".nys"):
		return "damage to a store was not noticed"
	}
	return ""
}

// errUnforgivable marks results that no damage excuses, such as a panic or a timeout.
var errUnforgivable = errors.New("unforgivable")

// keepDamaged saves a file that broke a rule in the folder $KEEP_MUTANTS.
func keepDamaged(t *testing.T, path string, i int, damaged []byte) {
	dir := os.Getenv("KEEP_MUTANTS")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, filepath.Base(path))), damaged, 0o600); err != nil {
		t.Log(err)
	}
}

// healthyFile returns a file of a few kB in the given format, with 60 rows of filetest.SampleBatch in three batches.
func healthyFile(t *testing.T, format string) ([]byte, Schema) {
	t.Helper()
	const n = 60
	b, s := filetest.SampleBatch(n, 31), schemaOf(filetest.SampleInfo)
	b.X.Data[2], b.X.Data[3] = 1, 2 // neither infinity nor NaN
	s.Rows = n
	if format == ".npy" || format == ".libsvm" {
		s.Kept, b.Kept = nil, nil
	}
	extension := format
	switch format {
	case ".arrows":
		extension = ".arrow"
	case ".compressed.nys":
		s.Compression = "zstd"
	}
	path := filepath.Join(t.TempDir(), "healthy"+extension)
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for from := 0; from < n; from += n / 3 {
		part := filetest.BatchPart(b, from, n/3)
		if err := w.Write(part, n/3); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	p, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if format == ".arrows" {
		p = streamOf(t, p)
	}
	return p, s
}

// streamOf converts an Arrow file to a stream.
func streamOf(t *testing.T, file []byte) []byte {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(r.Schema()))
	for i := range r.NumRecords() {
		record, err := r.Record(i)
		if err == nil {
			err = w.Write(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// damage returns a damaged copy of p: with flipped bits, cut, with bytes removed, or with a block overwritten by zeros,
// noise or other bytes of the file. what describes the damage.
func damage(rng *rand.Rand, p []byte) (damaged []byte, what string) {
	p = bytes.Clone(p)
	at := rng.IntN(len(p))
	size := min(1+rng.IntN(200), len(p)-at)
	switch rng.IntN(8) {
	case 0, 1:
		flips := 1 + rng.IntN(4)
		for range flips {
			i := rng.IntN(8 * len(p))
			p[i/8] ^= 1 << (i % 8)
		}
		return p, fmt.Sprint(flips, " bits flipped")
	case 2:
		return p[:at], fmt.Sprint("cut at ", at)
	case 3:
		return append(p[:at], p[at+size:]...), fmt.Sprint(size, " bytes missing at ", at)
	case 4:
		clear(p[at : at+size])
		return p, fmt.Sprint(size, " zeros at ", at)
	case 5:
		for i := range size {
			p[at+i] = byte(rng.Uint32())
		}
		return p, fmt.Sprint(size, " bytes of noise at ", at)
	case 6:
		from := rng.IntN(len(p) - size + 1)
		copy(p[at:at+size], bytes.Clone(p[from:from+size]))
		return p, fmt.Sprint(size, " bytes copied from ", from, " to ", at)
	}
	i := rng.IntN(min(100, len(p)))
	if rng.IntN(2) == 0 {
		i = len(p) - 1 - i
	}
	p[i] = byte(rng.Uint32())
	return p, fmt.Sprint("byte ", i, " changed")
}

// readDamaged writes p to path and reads it on a goroutine, which is abandoned after damageLimit.
func readDamaged(t *testing.T, path string, p []byte, s Schema) (*stream.Batch, error) {
	t.Helper()
	if err := os.WriteFile(path, p, 0o600); err != nil {
		t.Fatal(err)
	}
	type result struct {
		batch *stream.Batch
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- result{nil, fmt.Errorf("%w: panic: %v", errUnforgivable, p)}
			}
		}()
		b, err := readBothWays(path, s)
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		return r.batch, r.err
	case <-time.After(damageLimit):
		return nil, fmt.Errorf("%w: still reading after %v", errUnforgivable, damageLimit)
	}
}

// readBothWays reads a file in a pass, and then its first, middle and last row by number.
func readBothWays(path string, s Schema) (*stream.Batch, error) {
	o := Options{Columns: s.Columns}
	for _, f := range s.Kept {
		o.Keep = append(o.Keep, f.Name)
	}
	if strings.HasSuffix(path, ".npy") || strings.HasSuffix(path, ".libsvm") {
		o.Columns = nil // they have no names
	}
	src, err := Open(context.Background(), []string{path}, o)
	if err != nil {
		return nil, err
	}
	b, err := filetest.ReadAll(src, 16)
	if err != nil {
		return nil, err
	}
	n := src.Info().Rows
	if int64(b.X.Rows) != n {
		return nil, fmt.Errorf("%w: %d rows read, %d stated", errUnforgivable, b.X.Rows, n)
	}
	if n == 0 {
		return b, nil
	}
	rows := []int64{0}
	for _, r := range []int64{n / 2, n - 1} {
		if r > rows[len(rows)-1] {
			rows = append(rows, r)
		}
	}
	got := column.NewBatch(src.Info(), len(rows))
	if err := src.Gather(context.Background(), rows, got); err != nil {
		return nil, err
	}
	for i, r := range rows {
		if !filetest.SameBatch(filetest.BatchPart(b, int(r), 1), filetest.BatchPart(got, i, 1)) {
			return nil, fmt.Errorf("%w: row %d is not the same when gathered and when read in order", errUnforgivable, r)
		}
	}
	return b, nil
}
