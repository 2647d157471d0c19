package stream_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// columnTiles is a simple wide accumulator: a tile is the sum of one column. Its bits depend on the
// order of additions.
type columnTiles struct {
	first, rows int64
	sum         []float64
	live        *atomic.Int64
}

func (a *columnTiles) Merge(later *columnTiles) error {
	if later.first != a.first+a.rows {
		return fmt.Errorf("rows from %d on are merged with those from %d on", a.first, later.first)
	}
	a.rows += later.rows
	for j, v := range later.sum {
		a.sum[j] += v
	}
	a.live.Add(-1)
	return nil
}

func (a *columnTiles) MarshalBinary() ([]byte, error) {
	return binary.Append(nil, binary.LittleEndian, slices.Concat([]float64{float64(a.first), float64(a.rows)}, a.sum))
}

func (a *columnTiles) UnmarshalBinary(data []byte) error {
	numbers := make([]float64, 2+len(a.sum))
	_, err := binary.Decode(data, binary.LittleEndian, numbers)
	a.first, a.rows, a.sum = int64(numbers[0]), int64(numbers[1]), numbers[2:]
	return err
}

// wideToy is a wide fold that counts its accumulators and its working threads.
type wideToy struct {
	src                     stream.Source
	live, most              atomic.Int64 // accumulators
	rooms, working, threads atomic.Int64
	taken                   func(b *stream.Block) error // may be nil
}

func atMost(most *atomic.Int64, n int64) {
	for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
	}
}

func (f *wideToy) work() func() {
	atMost(&f.threads, f.working.Add(1))
	return func() { f.working.Add(-1) }
}

func (f *wideToy) run(ctx context.Context, e stream.Engine) ([]byte, error) {
	type rows struct{ x blas64.General }
	d := len(f.src.Info().Columns)
	a, err := stream.FoldWide(ctx, e, "wide", f.src, stream.Wide[*columnTiles, *rows]{
		New: func() *columnTiles {
			atMost(&f.most, f.live.Add(1))
			return &columnTiles{sum: make([]float64, d), live: &f.live}
		},
		NewT: func() *rows {
			f.rooms.Add(1)
			return new(rows)
		},
		Worker: func() func(*rows, *stream.Block) error {
			return func(r *rows, b *stream.Block) error {
				defer f.work()()
				r.x = blas64.General{Rows: b.X.Rows, Cols: d, Stride: d, Data: slices.Clone(b.X.Data[:b.X.Rows*d])}
				if i := slices.IndexFunc(r.x.Data, math.IsNaN); i >= 0 {
					return fmt.Errorf("row %d is NaN", b.Start+int64(i/d))
				}
				return nil
			}
		},
		AddSmall: func(a *columnTiles, _ *rows, b *stream.Block) error {
			if a.rows == 0 {
				a.first = b.Start
			}
			if b.Start != a.first+a.rows {
				return fmt.Errorf("the block at row %d was taken after %d rows from %d on", b.Start, a.rows, a.first)
			}
			a.rows += int64(b.X.Rows)
			if f.taken != nil {
				return f.taken(b)
			}
			return nil
		},
		Tiles: d,
		AddTile: func(a *columnTiles, made []*rows, tile int) {
			defer f.work()()
			for _, r := range made {
				for i := range r.x.Rows {
					a.sum[tile] += matrix.Row(r.x, i)[tile]
				}
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return a.MarshalBinary()
}

// drawWide draws rows and an engine with small leaves.
func drawWide(t *rapid.T) (x blas64.General, e stream.Engine, leaf int) {
	x = toyData(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 900).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns"), false)
	block := rapid.IntRange(1, 3).Draw(t, "block")
	leaf = block * rapid.IntRange(1, 30).Draw(t, "blocks of a leaf")
	return x, stream.WithWide(stream.Engine{}, leaf, block), leaf
}

// inOrder adds the rows of each leaf one by one, and merges the leaves in the tree of a forest.
func inOrder(t fataler, x blas64.General, leaf int) []byte {
	t.Helper()
	live := new(atomic.Int64)
	newAcc := func() *columnTiles { return &columnTiles{sum: make([]float64, x.Cols), live: live} }
	forest := stream.NewForest(newAcc)
	for first := 0; first < x.Rows; first += leaf {
		a := newAcc()
		a.first, a.rows = int64(first), int64(min(leaf, x.Rows-first))
		for i := range int(a.rows) {
			for j, v := range matrix.Row(x, first+i) {
				a.sum[j] += v
			}
		}
		if err := forest.Add(int64(first/leaf), a); err != nil {
			t.Fatalf("%v", err)
		}
	}
	all, err := forest.Finish(forest.Blocks())
	if err != nil {
		t.Fatalf("%v", err)
	}
	data, _ := all.MarshalBinary()
	return data
}

// A wide fold sums each leaf in row order, with any number of threads and readers. It stays within
// its plan, and no more threads work than allowed.
func TestFoldWide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, e, leaf := drawWide(t)
		want := inOrder(t, x, leaf)
		for _, threads := range []int{1, 2, 7} {
			e.Threads = threads
			src := newTable("x", x)
			src.info.SeekCost = rapid.SampledFrom([]int64{0, 1, 20}).Draw(t, "lead")
			src.step = odd(uint64(threads))
			f := &wideToy{src: src}
			got, err := f.run(context.Background(), e)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d threads: another result, error %v", threads, err)
			}
			if states := e.WideStates(int64(x.Rows)); f.most.Load() > states {
				t.Fatalf("%d threads: %d accumulators at a time, %d planned", threads, f.most.Load(), states)
			}
			if blocks := e.WideBlocks(int64(x.Rows), x.Cols); f.rooms.Load() > blocks {
				t.Fatalf("%d threads: room for %d blocks, %d planned", threads, f.rooms.Load(), blocks)
			}
			if f.threads.Load() > int64(threads) {
				t.Fatalf("%d threads worked at a time, not %d", f.threads.Load(), threads)
			}
		}
	})
}

// Shards of a wide fold in any order give the same bytes, and so does a run that is interrupted
// repeatedly.
func TestFoldWideStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, e, leaf := drawWide(t)
		want := inOrder(t, x, leaf)
		f := &wideToy{src: newTable("x", x)}
		run := func(store *shelf, ctx context.Context, threads int, o stream.RunOptions) ([]byte, error) {
			e.Threads, e.Run = threads, runOf(t, store, "wide", threads, o).Run
			return f.run(ctx, e)
		}
		store := newShelf()
		for _, part := range rapid.Permutation(order(4)).Draw(t, "order") {
			if _, err := run(store, context.Background(), part, stream.RunOptions{Part: part, Parts: 4}); err != nil && !errors.As(err, new(*stream.StoppedError)) {
				t.Fatalf("part %d: %v", part, err)
			}
		}
		if got, err := run(store, context.Background(), 2, stream.RunOptions{Finish: true}); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("four shards give another result, error %v", err)
		}
		store = newShelf()
		for _, stop := range append(rapid.SliceOfN(rapid.IntRange(0, x.Rows), 0, 4).Draw(t, "stops"), math.MaxInt) {
			ctx, cancel := context.WithCancel(context.Background())
			f.taken = func(b *stream.Block) error {
				if int(b.Start) >= stop {
					cancel()
				}
				return nil
			}
			got, err := run(store, ctx, 2, stream.RunOptions{Every: 1})
			cancel()
			if err == nil && !bytes.Equal(got, want) || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped at row %d: another result, error %v", stop, err)
			}
		}
	})
}

// After a stop at most one leaf is folded again.
func TestFoldWideResumes(t *testing.T) {
	const rows, leaf, stop = 400, 40, 270
	f := &wideToy{src: newTable("x", toyData(1, rows, 2, false))}
	store := newShelf()
	run := func(leaf int, taken func(row int64) error) error {
		f.taken = func(b *stream.Block) error { return taken(b.Start) }
		_, err := f.run(context.Background(), stream.WithWide(runOf(t, store, "wide", 2, stream.RunOptions{}), leaf, 10))
		return err
	}
	failed := errors.New("stop")
	if err := run(leaf, func(row int64) error {
		if row >= stop {
			return failed
		}
		return nil
	}); err != failed {
		t.Fatalf("the fold ends with %v", err)
	}
	if err := run(2*leaf, func(int64) error { return nil }); err == nil || !strings.Contains(err.Error(), "blocks of 40 rows") {
		t.Errorf("a state with other leaves: %v", err)
	}
	first := int64(-1)
	if err := run(leaf, func(row int64) error {
		if first < 0 {
			first = row
		}
		return nil
	}); err != nil || first != stop/leaf*leaf {
		t.Errorf("the fold goes on at row %d, not %d: %v", first, stop/leaf*leaf, err)
	}
}

// The error of the first row is returned, with any number of threads.
func TestFoldWideFirstError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, e, _ := drawWide(t)
		bad := rapid.SliceOfN(rapid.IntRange(0, x.Rows-1), 1, 4).Draw(t, "bad rows")
		for _, i := range bad {
			matrix.Row(x, i)[0] = math.NaN()
		}
		e.Threads = rapid.IntRange(1, 4).Draw(t, "threads")
		_, err := (&wideToy{src: newTable("x", x)}).run(context.Background(), e)
		if want := fmt.Sprintf("row %d is NaN", slices.Min(bad)); err == nil || err.Error() != want {
			t.Fatalf("error %v, want %q", err, want)
		}
	})
}

// There are at most eight accumulators for up to 16 million rows.
func TestWideStates(t *testing.T) {
	for rows, want := range map[int64]int64{0: 1, 1: 1, 1 << 16: 1, 1<<16 + 1: 2, 1e6: 5, 1e7: 8, 16e6: 8} {
		for _, threads := range []int{1, 2, 16} {
			if got := (stream.Engine{Threads: threads}).WideStates(rows); got != want {
				t.Errorf("%d rows on %d threads: %d states, not %d", rows, threads, got, want)
			}
		}
	}
}
