package filetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Readable selects every readable column: numbers as features, and all columns that can be kept
// also as kept columns.
func Readable(tb column.Table) (stream.Source, error) {
	var numeric, kept []int
	for i, c := range tb.About().Columns {
		if c.Kind.Computable() {
			numeric = append(numeric, i)
		}
		if c.Kind.Keepable() {
			kept = append(kept, i)
		}
	}
	return column.Choose(tb, numeric, kept)
}

// Mutant returns a damaged copy of a file: some bits flipped, a block zeroed, or truncated.
func Mutant(random *rand.Rand, healthy []byte) []byte {
	b := slices.Clone(healthy)
	switch random.IntN(6) {
	case 0:
		return b[:random.IntN(len(b))]
	case 1:
		at := random.IntN(len(b))
		clear(b[at:min(len(b), at+1+random.IntN(512))])
	case 2: // near the end, in the footer
		b[len(b)-1-random.IntN(min(len(b), 1000))] ^= 1 << random.IntN(8)
	case 3: // near the beginning, in the header
		b[random.IntN(min(len(b), 400))] = byte(random.Uint32())
	default:
		for range 1 + random.IntN(3) {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
	}
	return b
}

// Opener opens a file of a format. A nil session means a new one.
type Opener func(ctx context.Context, files *file.Session, path string) (column.Table, error)

// CheckMutants damages a healthy file of the given number of rows repeatedly. Each mutant must be
// read with all its rows or rejected with an error, quickly and without much memory, and gathered
// rows must equal the rows read. With -short it makes half as many mutants.
func CheckMutants(t *testing.T, healthy []byte, rows, mutants int, open Opener) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mutant")
	random := rand.New(rand.NewPCG(7, 8))
	if testing.Short() {
		mutants /= 2
	}
	silent := 0
	for k := range mutants {
		b := Mutant(random, healthy)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		outcome := make(chan int, 1)
		go func() { outcome <- ReadMutant(t, path, open) }()
		select {
		case n := <-outcome:
			if n >= 0 && n != rows {
				t.Errorf("mutant %d: %d rows of %d without an error", k, n, rows)
			}
			if n >= 0 && !slices.Equal(b, healthy) {
				silent++
			}
		case <-time.After(time.Minute):
			t.Fatalf("mutant %d hangs", k)
		}
	}
	t.Logf("%d of %d mutants were refused", mutants-silent, mutants)
}

// Opened opens a file with open and converts a panic to an error.
func Opened(path string, open Opener) (tb column.Table, err error) {
	err = fault.Guard(path, func() error {
		tb, err = open(context.Background(), nil, path)
		return err
	})
	return tb, err
}

// ReadMutant reads all of a file and gathers some rows. It returns the number of rows, or -1 after
// an error.
func ReadMutant(t *testing.T, path string, open Opener) int {
	tb, err := Opened(path, open)
	if err != nil {
		return -1
	}
	src, err := Readable(tb)
	if err != nil {
		return -1
	}
	rows, _, err := Slurp(src, 100)
	gatherer, ok := src.(stream.Gatherer)
	if ok && src.Info().Rows > 3 {
		n := src.Info().Rows
		b := NewBatch(src, 3)
		failed := gatherer.Gather(t.Context(), []int64{0, n / 2, n - 1}, b)
		if failed != nil && err == nil {
			t.Errorf("gathering from a file that can be read: %v", failed)
		}
	}
	if err != nil {
		return -1
	}
	return len(rows)
}

// CheckConcurrency checks that concurrent passes and gathers of one source of 1200 rows do not
// interfere, and leave no goroutine running.
func CheckConcurrency(t *testing.T, healthy []byte, open Opener) {
	t.Helper()
	before := runtime.NumGoroutine()
	tb, err := open(context.Background(), nil, TempFile(t, "a", string(healthy)))
	if err != nil {
		t.Fatal(err)
	}
	src, err := Readable(tb)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := Slurp(src, 100)
	if err != nil {
		t.Fatal(err)
	}
	var g errgroup.Group
	for k := range 4 {
		g.Go(func() error {
			got, _, err := Slurp(src, 50+k)
			if err == nil && !cmp.Equal(got, want, SameBits) {
				err = fmt.Errorf("pass %d differs", k)
			}
			return err
		})
		g.Go(func() error {
			b := NewBatch(src, 3)
			err := src.(stream.Gatherer).Gather(t.Context(), []int64{int64(k), 600, 1199}, b)
			if err == nil && !cmp.Equal(matrix.Row(b.X, 1), want[600], SameBits) {
				err = fmt.Errorf("row 600 differs")
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) { // goroutines may still be ending
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
