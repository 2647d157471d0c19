package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// pairSizes are numbers of rows that give 0 to 5 blocks, full and partial.
var pairSizes = []int{0, 1, 256, 257, 512, 700, 1024, 1100}

// matrixSource returns random rows of two numbers, in memory.
func matrixSource(seed uint64, rows int) stream.Gatherer {
	return stream.FromMatrix(fmt.Sprint("m", seed), randomMatrix(seed, rows, 2))
}

// visits runs an exact pass and counts the visits of each tile. It fails if concurrent calls share
// a row block or a column block.
func visits(t *testing.T, e stream.Engine, rows, cols stream.Gatherer, shape bool) map[[2]int64]int {
	t.Helper()
	seen := map[[2]int64]int{}
	var mu sync.Mutex
	var busyRows, busyCols [16]atomic.Bool
	err := stream.Pairs(context.Background(), e, "pairs", rows, cols, shape, func() func(i, j *stream.Block) error {
		return func(i, j *stream.Block) error {
			if busyRows[i.Index].Swap(true) || busyCols[j.Index].Swap(true) {
				return fmt.Errorf("tile (%d, %d) shares a block with another", i.Index, j.Index)
			}
			mu.Lock()
			seen[[2]int64{i.Index, j.Index}]++
			mu.Unlock()
			runtime.Gosched()
			busyRows[i.Index].Store(false)
			busyCols[j.Index].Store(false)
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// blocksOf returns the number of blocks of n rows.
func blocksOf(n int) int64 { return int64(n+tilesize.PairRows-1) / tilesize.PairRows }

// Each tile of a full matrix is visited once.
func TestPairsFull(t *testing.T) {
	leavesNothing(t)
	for _, n := range pairSizes {
		for _, m := range pairSizes {
			seen := visits(t, stream.Engine{Threads: 4}, matrixSource(1, n), matrixSource(2, m), false)
			for i := range blocksOf(n) {
				for j := range blocksOf(m) {
					if seen[[2]int64{i, j}] != 1 {
						t.Errorf("%d×%d: tile (%d, %d) was visited %d times", n, m, i, j, seen[[2]int64{i, j}])
					}
				}
			}
			if int64(len(seen)) != blocksOf(n)*blocksOf(m) {
				t.Errorf("%d×%d: %d tiles", n, m, len(seen))
			}
		}
	}
}

// Each tile of the upper triangle is visited once, and none below it.
func TestPairsUpper(t *testing.T) {
	leavesNothing(t)
	for _, n := range append(pairSizes, 1500, 2048) {
		src := matrixSource(1, n)
		seen := visits(t, stream.Engine{Threads: 4}, src, src, true)
		b := blocksOf(n)
		for i := range b {
			for j := range i {
				if seen[[2]int64{i, j}]+seen[[2]int64{j, i}] != 1 {
					t.Errorf("%d blocks: pair {%d, %d} was not visited once", b, i, j)
				}
			}
			if seen[[2]int64{i, i}] != 1 {
				t.Errorf("%d blocks: diagonal tile %d was visited %d times", b, i, seen[[2]int64{i, i}])
			}
		}
		if int64(len(seen)) != b*(b+1)/2 {
			t.Errorf("%d blocks: %d tiles", b, len(seen))
		}
	}
}

// kernel is an arbitrary function of two rows, symmetric or not.
func kernel(x, y []float64, symmetric bool) float64 {
	p := x[0]*y[0] + x[1]*y[1]
	if symmetric {
		return math.Exp(-p * p)
	}
	return math.Exp(-p*p) + math.Tanh(x[0])
}

// matVec computes K·v by an exact pass, with one accumulator per row block and one per column
// block, and without locks.
func matVec(t *testing.T, threads int, src stream.Gatherer, v []float64) []float64 {
	t.Helper()
	n := len(v)
	asRow, asCol := make([]float64, n), make([]float64, n)
	err := stream.Pairs(context.Background(), stream.Engine{Threads: threads}, "", src, src, true, func() func(i, j *stream.Block) error {
		return func(i, j *stream.Block) error {
			for a := range i.X.Rows {
				for b := range j.X.Rows {
					k := kernel(matrix.Row(i.X, a), matrix.Row(j.X, b), true)
					asRow[int(i.Start)+a] += k * v[int(j.Start)+b]
					if i.Index != j.Index {
						asCol[int(j.Start)+b] += k * v[int(i.Start)+a]
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range asRow {
		asRow[i] += asCol[i]
	}
	return asRow
}

func TestPairsMatVec(t *testing.T) {
	for _, n := range []int{1, 300, 900, 1100} {
		x := randomMatrix(7, n, 2)
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Sin(float64(i)) * math.Exp(math.Cos(float64(3*i))*5)
		}
		want := make([]float64, n)
		norm := 0.0
		for i := range want {
			for j := range v {
				want[i] += kernel(matrix.Row(x, i), matrix.Row(x, j), true) * v[j]
			}
		}
		for _, c := range v {
			norm += math.Abs(c)
		}
		src := stream.FromMatrix("x", x)
		one := matVec(t, 1, src, v)
		for i := range want {
			if math.Abs(one[i]-want[i]) > 1e-13*norm {
				t.Fatalf("n = %d: entry %d is %g, want %g", n, i, one[i], want[i])
			}
		}
		for _, threads := range []int{2, 8} {
			if !sameBits(one, matVec(t, threads, src, v)) {
				t.Errorf("n = %d: other bits with %d threads", n, threads)
			}
		}
	}
}

func TestPairsRectangularProduct(t *testing.T) {
	x, y := randomMatrix(1, 300, 2), randomMatrix(2, 700, 2)
	product := func(threads int) []float64 {
		out := make([]float64, x.Rows+y.Rows)
		err := stream.Pairs(context.Background(), stream.Engine{Threads: threads}, "", stream.FromMatrix("x", x), stream.FromMatrix("y", y), false,
			func() func(i, j *stream.Block) error {
				return func(i, j *stream.Block) error {
					for a := range i.X.Rows {
						for b := range j.X.Rows {
							k := kernel(matrix.Row(i.X, a), matrix.Row(j.X, b), false)
							out[int(i.Start)+a] += k
							out[x.Rows+int(j.Start)+b] += k
						}
					}
					return nil
				}
			})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := product(1)
	for i := range x.Rows {
		want := 0.0
		for j := range y.Rows {
			want += kernel(matrix.Row(x, i), matrix.Row(y, j), false)
		}
		if math.Abs(got[i]-want) > 1e-12*float64(y.Rows) {
			t.Errorf("row sum %d is %g, want %g", i, got[i], want)
		}
	}
	if !sameBits(got, product(3)) {
		t.Error("other bits with 3 threads")
	}
}

// The scratch memory of a worker lasts for the whole pass, not one round.
func TestPairsWorkers(t *testing.T) {
	src := matrixSource(1, 5*256)
	var made atomic.Int64
	err := stream.Pairs(context.Background(), stream.Engine{Threads: 2}, "", src, src, false, func() func(i, j *stream.Block) error {
		made.Add(1)
		busy := new(atomic.Bool)
		return func(i, j *stream.Block) error {
			if busy.Swap(true) {
				return errors.New("a worker is used twice at a time")
			}
			runtime.Gosched()
			busy.Store(false)
			return nil
		}
	})
	if err != nil || made.Load() > 2 {
		t.Errorf("%d workers were made for 2 threads, error %v", made.Load(), err)
	}
}

func TestPairsProgress(t *testing.T) {
	src := matrixSource(1, 900)
	for shape, total := range map[bool]int64{false: 16, true: 10} {
		var done []int64
		e := stream.Engine{Progress: func(ev stream.Event) {
			if ev.Pass != "exact" || ev.Total != total {
				t.Errorf("event %+v, want a total of %d", ev, total)
			}
			done = append(done, ev.Done)
		}}
		err := stream.Pairs(context.Background(), e, "exact", src, src, shape, func() func(i, j *stream.Block) error {
			return func(i, j *stream.Block) error { return nil }
		})
		if want := upTo(total + 1)[1:]; err != nil || !slices.Equal(done, want) {
			t.Errorf("progress %v, error %v, want %v", done, err, want)
		}
	}
}

func TestPairsErrors(t *testing.T) {
	leavesNothing(t)
	nothing := func() func(i, j *stream.Block) error { return func(i, j *stream.Block) error { return nil } }
	src := matrixSource(1, 900)
	for _, want := range []string{"tile (0, 0)", "tile (2, 0)"} { // (2, 0) is in the third round
		err := stream.Pairs(context.Background(), stream.Engine{Threads: 3}, "", src, src, false, func() func(i, j *stream.Block) error {
			return func(i, j *stream.Block) error {
				if text := fmt.Sprintf("tile (%d, %d)", i.Index, j.Index); text == want {
					return errors.New(text)
				}
				return nil
			}
		})
		checkError(t, err, want)
	}

	broken := newTable("broken", randomMatrix(1, 600, 2))
	broken.before = func(row int) error {
		if row == 512 {
			return errors.New("broken block")
		}
		return nil
	}
	checkError(t, stream.Pairs(context.Background(), stream.Engine{}, "", src, broken, false, nothing), "broken block")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := stream.Pairs(ctx, stream.Engine{}, "", src, src, false, nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}

	unknown := newTable("pipe", randomMatrix(1, 10, 2))
	unknown.info.Rows = -1
	checkPanic(t, "pipe, whose number of rows is unknown", func() {
		_ = stream.Pairs(context.Background(), stream.Engine{}, "", unknown, src, false, nothing)
	})
	checkPanic(t, "two different sources", func() {
		_ = stream.Pairs(context.Background(), stream.Engine{}, "", matrixSource(2, 100), src, true, nothing)
	})
}

func BenchmarkPairs(b *testing.B) {
	src := stream.FromMatrix("x", matrix.New(4096, 20))
	b.ReportAllocs()
	for b.Loop() {
		_ = stream.Pairs(context.Background(), stream.Engine{}, "", src, src, false, func() func(i, j *stream.Block) error {
			return func(i, j *stream.Block) error { return nil }
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(16*16), "ns/tile")
}
