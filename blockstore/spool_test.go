package blockstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"testing"
	"time"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// onceRows returns a source that can be read once: n rows of d numbers with an integer and a word, followed by err.
func onceRows(n, d int, err error) stream.Source {
	info := stream.Info{Name: "live", Rows: -1, OnePass: true, Columns: stream.NumberedColumns(d),
		Kept: []stream.Field{{Name: "x0", Kind: stream.Int64}, {Name: "word, with \"quotes\"", Kind: stream.String, Category: true}}}
	return stream.FromSeq(info, func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			for first := 0; first < n; first += 7 {
				m := min(7, n-first)
				b := stream.Batch{X: matrix.New(m, d), Kept: info.NewKept()}
				for i := range b.X.Data {
					b.X.Data[i] = spooledValue(first*d + i)
				}
				for i := first; i < first+m; i++ {
					b.Kept[0].Ints = append(b.Kept[0].Ints, math.MaxInt64-int64(i))
					b.Kept[1].Strings = append(b.Kept[1].Strings, fmt.Sprint("word ", i%5))
					b.Kept[1].Valid = append(b.Kept[1].Valid, i%3 > 0)
				}
				if !yield(b, nil) {
					return
				}
			}
			if err != nil {
				yield(stream.Batch{}, err)
			}
		}
	})
}

// spooledValue returns numbers that a copy might lose: of all magnitudes, not finite, and −0.
func spooledValue(i int) float64 {
	return []float64{math.Copysign(0, -1), 1e-320, 1e300 / 3, math.NaN(), math.Inf(-1), float64(i) / 7}[i%6]
}

// The copy of a source that can be read only once knows its number of rows, and supports several passes and gathering.
func TestSpooledRowsCanBeReadAgain(t *testing.T) {
	for _, n := range []int{0, 1, 20000} {
		for _, d := range []int{0, 3} {
			files := &Session{SpoolDir: t.TempDir()}
			src, err := files.Spool(t.Context(), onceRows(n, d, nil))
			if err != nil {
				t.Fatalf("%d rows of %d: %v", n, d, err)
			}
			info := src.Info()
			if info.Rows != int64(n) || info.OnePass || info.Name != "live" || len(info.Columns) != d || !info.Kept[1].Category {
				t.Errorf("%+v", info)
			}
			b := &stream.Batch{X: matrix.New(n, d), Kept: info.NewKept()}
			for range 2 {
				if err := stream.Gather(t.Context(), src, matrix.Numbers(n), b); err != nil {
					t.Fatal(err)
				}
				for i, v := range b.X.Data {
					if want := spooledValue(i); math.Float64bits(v) != math.Float64bits(want) && !(math.IsNaN(v) && math.IsNaN(want)) {
						t.Fatalf("number %d is %v, not %v", i, v, want)
					}
				}
			}
			for i := range n {
				if b.Kept[0].Ints[i] != math.MaxInt64-int64(i) || b.Kept[1].Null(i) != (i%3 == 0) ||
					!b.Kept[1].Null(i) && b.Kept[1].Strings[i] != fmt.Sprint("word ", i%5) {
					t.Fatalf("row %d has %d, %q", i, b.Kept[0].Ints[i], b.Kept[1].Strings[i])
				}
			}
			if err := files.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Spool returns the error of its source or of a full disk. Cancellation ends a source that waits.
func TestSpoolFails(t *testing.T) {
	lost := errors.New("connection lost")
	if _, err := Spool(t.Context(), onceRows(20, 2, lost)); !errors.Is(err, lost) {
		t.Error(err)
	}
	var full *SpoolError
	files := &Session{SpoolDir: t.TempDir(), Quota: NewQuota(1000)}
	if _, err := files.Spool(t.Context(), onceRows(20000, 3, nil)); !errors.As(err, &full) {
		t.Errorf("over the quota: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	idle := stream.FromSeq(stream.Info{Name: "idle", Columns: []string{"a"}, Rows: -1, OnePass: true},
		func(ctx context.Context) iter.Seq2[stream.Batch, error] {
			return func(func(stream.Batch, error) bool) { <-ctx.Done() }
		})
	if _, err := Spool(ctx, idle); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
