package stream_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// sums is a test accumulator: the blocks added, in order, and column sums whose bits depend on the
// order of summation.
type sums struct {
	blocks []int64
	rows   int
	sum    []float64 // per column
}

func newSums() *sums { return new(sums) }

func (s *sums) add(b *stream.Block) error {
	if len(s.blocks) > 0 {
		return errors.New("the accumulator of a block is not new")
	}
	s.blocks = []int64{b.Index}
	s.rows = b.X.Rows
	s.sum = make([]float64, b.X.Cols)
	for i := range b.X.Rows {
		for j, v := range matrix.Row(b.X, i) {
			s.sum[j] += v
		}
	}
	return nil
}

func (s *sums) Merge(later *sums) error {
	if s.blocks[len(s.blocks)-1]+1 != later.blocks[0] {
		return fmt.Errorf("%v merged with %v", s.blocks, later.blocks)
	}
	s.blocks = append(s.blocks, later.blocks...)
	s.rows += later.rows
	for j, v := range later.sum {
		s.sum[j] += v
	}
	return nil
}

func (s *sums) MarshalBinary() ([]byte, error) {
	data := binary.LittleEndian.AppendUint64(nil, uint64(s.rows))
	for _, v := range s.sum {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data, nil
}

func (s *sums) UnmarshalBinary([]byte) error { return errors.ErrUnsupported }

// foldSums returns the sums of a pass over src.
func foldSums(ctx context.Context, e stream.Engine, src stream.Source) (*sums, error) {
	return stream.Fold(ctx, e, "sum", src, newSums, func() func(*sums, *stream.Block) error {
		return func(s *sums, b *stream.Block) error { return s.add(b) }
	})
}

// treeSums computes the column sums of blocks in the order of the documented tree, recursively: the
// left child of a node is the largest complete subtree.
func treeSums(x blas64.General, block, first, blocks int) []float64 {
	sum := make([]float64, x.Cols)
	if blocks == 1 {
		for i := first * block; i < min(x.Rows, (first+1)*block); i++ {
			for j := range sum {
				sum[j] += x.Data[i*x.Stride+j]
			}
		}
		return sum
	}
	left := 1
	for 2*left < blocks {
		left *= 2
	}
	a, b := treeSums(x, block, first, left), treeSums(x, block, first+left, blocks-left)
	for j := range sum {
		sum[j] = a[j] + b[j]
	}
	return sum
}

// sameBits reports whether two slices are equal bit for bit.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// The result has the same bits for any number of threads and any read size: those of the tree.
func TestFoldBits(t *testing.T) {
	leavesNothing(t)
	x := randomMatrix(3, 1009, 3)
	for _, block := range []int{1, 7, 64, 1008, 1009, 5000} {
		blocks := (x.Rows + block - 1) / block
		want := treeSums(x, block, 0, blocks)
		for _, threads := range []int{1, 2, 8} {
			for step := range 3 {
				src := newTable("x", x)
				if step > 0 {
					src.step, src.lazy = odd(uint64(step)), step == 1
				}
				if step == 2 {
					src.info.Rows = -1
				}
				got, err := foldSums(context.Background(), stream.Engine{Threads: threads, BlockRows: block}, src)
				if err != nil {
					t.Fatal(err)
				}
				if !sameBits(got.sum, want) || !slices.Equal(got.blocks, upTo(int64(blocks))) || got.rows != x.Rows {
					t.Errorf("block %d, %d threads, step %d: %v of %d blocks, want %v", block, threads, step, got.sum, len(got.blocks), want)
				}
			}
		}
	}
	if a, b := treeSums(x, 7, 0, 145), treeSums(x, 64, 0, 16); sameBits(a, b) {
		t.Error("the sums do not depend on the order of summation: the test says nothing")
	}
}

func TestFoldFewRows(t *testing.T) {
	for _, rows := range []int64{0, -1} {
		src := newTable("empty", blas64.General{Cols: 2, Stride: 2})
		src.info.Rows = rows
		got, err := foldSums(context.Background(), stream.Engine{}, src)
		if err != nil || len(got.blocks) != 0 {
			t.Errorf("no row: %v, %v", got, err)
		}
	}
	one := stream.FromMatrix("one", blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{3, 4}})
	got, err := foldSums(context.Background(), stream.Engine{Threads: 3}, one)
	if err != nil || !cmp.Equal(got, &sums{[]int64{0}, 1, []float64{3, 4}}, cmp.AllowUnexported(sums{})) {
		t.Errorf("one row: %v, %v", got, err)
	}
}

func TestFoldBlocks(t *testing.T) {
	x := randomMatrix(4, 20, 2)
	src := newTable("x", x).keep()
	src.step = odd(3)
	_, err := stream.Fold(context.Background(), stream.Engine{BlockRows: 8}, "", src, newSums, func() func(*sums, *stream.Block) error {
		return func(s *sums, b *stream.Block) error {
			rows := []int{8, 8, 4}[b.Index]
			if b.Start != 8*b.Index || b.X.Rows != rows || b.X.Cols != 2 || b.Kept != nil {
				t.Errorf("block %d starts at %d with shape %d×%d, kept %v", b.Index, b.Start, b.X.Rows, b.X.Cols, b.Kept)
			}
			for i := range b.X.Rows {
				if !slices.Equal(matrix.Row(b.X, i), matrix.Row(x, int(b.Start)+i)) {
					t.Errorf("row %d of block %d is %v", i, b.Index, matrix.Row(b.X, i))
				}
			}
			return s.add(b)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// A source that breaks its promise is an error. No worker ever sees a row beyond the promised ones,
// for which it may have no memory.
func TestFoldPromise(t *testing.T) {
	for _, promised := range []int64{0, 1, 15, 16, 17, 19, 21, 24, 25, 1000} {
		src := newTable("liar.npy", randomMatrix(1, 20, 2))
		src.info.Rows = promised
		src.step = odd(uint64(promised))
		_, err := stream.Fold(context.Background(), stream.Engine{BlockRows: 8}, "", src, newSums, func() func(*sums, *stream.Block) error {
			return func(s *sums, b *stream.Block) error {
				if end := b.Start + int64(b.X.Rows); end > promised {
					t.Errorf("promised %d rows, a worker sees row %d", promised, end-1)
				}
				return s.add(b)
			}
		})
		checkError(t, err, "liar.npy", fmt.Sprintf("promised %d rows", promised), "changed or is damaged")
	}
}

func TestFoldErrors(t *testing.T) {
	leavesNothing(t)
	broken := errors.New("broken after row 30")
	src := newTable("x", randomMatrix(1, 100, 2))
	src.before = func(row int) error {
		if row >= 30 {
			return broken
		}
		return nil
	}
	e := stream.Engine{Threads: 3, BlockRows: 8}
	if _, err := foldSums(context.Background(), e, src); !errors.Is(err, broken) {
		t.Errorf("reading: %v", err)
	}
	if src.opens.Load() != src.closes.Load() {
		t.Errorf("opened %d times, closed %d times", src.opens.Load(), src.closes.Load())
	}
	// An error of a worker in earlier rows comes first.
	_, err := stream.Fold(context.Background(), e, "", src, newSums, func() func(*sums, *stream.Block) error {
		return func(s *sums, b *stream.Block) error {
			if b.Index >= 2 {
				return fmt.Errorf("block %d is bad", b.Index)
			}
			return s.add(b)
		}
	})
	checkError(t, err, "block 2 is bad")

	src.open = func() error { return broken }
	if _, err := foldSums(context.Background(), e, src); !errors.Is(err, broken) {
		t.Errorf("opening: %v", err)
	}
	src.open, src.before = func() error { panic("damaged") }, nil
	checkPanic(t, "damaged", func() { foldSums(context.Background(), e, src) })
	src.open, src.before = nil, func(int) error { panic("upset") }
	checkPanic(t, "upset", func() { foldSums(context.Background(), e, src) })
}

// failing is an accumulator whose merge fails.
type failing struct{ *sums }

func (f failing) Merge(failing) error { return errors.New("cannot merge") }

func TestFoldMergeError(t *testing.T) {
	leavesNothing(t)
	_, err := stream.Fold(context.Background(), stream.Engine{BlockRows: 4}, "", newTable("x", randomMatrix(1, 50, 1)),
		func() failing { return failing{newSums()} }, func() func(failing, *stream.Block) error {
			return func(f failing, b *stream.Block) error { return f.add(b) }
		})
	checkError(t, err, "blocks 0 to 1", "cannot merge")
}

func TestFoldProgress(t *testing.T) {
	for _, total := range []int64{20, -1} {
		var events []stream.Event
		e := stream.Engine{Threads: 2, BlockRows: 8, Progress: func(ev stream.Event) { events = append(events, ev) }}
		src := newTable("x", randomMatrix(1, 20, 2))
		src.info.Rows = total
		if _, err := foldSums(context.Background(), e, src); err != nil {
			t.Fatal(err)
		}
		want := []stream.Event{{Pass: "sum", Done: 8, Total: total}, {Pass: "sum", Done: 16, Total: total}, {Pass: "sum", Done: 20, Total: total}}
		if diff := cmp.Diff(want, events); diff != "" {
			t.Error(diff)
		}
	}
}

// Map emits blocks in row order, with their kept columns.
func TestMapInRowOrder(t *testing.T) {
	leavesNothing(t)
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 120).Draw(t, "rows")
		src := newTable("x", randomMatrix(5, rows, 3)).keep()
		src.step = odd(rapid.Uint64().Draw(t, "steps"))
		src.lazy = rapid.Bool().Draw(t, "lazy")
		src.info.Live = rapid.Bool().Draw(t, "live")
		e := stream.Engine{Threads: rapid.IntRange(1, 4).Draw(t, "threads"), BlockRows: rapid.IntRange(1, 50).Draw(t, "block")}
		withKept := rapid.Bool().Draw(t, "kept")
		out := matrix.New(rows, 2)
		kept := []stream.Column{{Kind: stream.Int64}, {Kind: stream.String}, {Kind: stream.Float64}}
		next := 0
		err := stream.Map(context.Background(), e, "map", src, 2, withKept,
			func() func(blas64.General, *stream.Block) error { return firstAndSum },
			func(b *stream.Block, y blas64.General) error {
				if int(b.Start) != next || y.Rows != b.X.Rows || y.Cols != 2 {
					t.Fatalf("block at %d of shape %d×%d after %d rows", b.Start, y.Rows, y.Cols, next)
				}
				for i := range y.Rows {
					copy(matrix.Row(out, next+i), matrix.Row(y, i))
				}
				for k := range b.Kept {
					kept[k].Append(&b.Kept[k], 0, b.X.Rows)
				}
				next += y.Rows
				return nil
			})
		if err != nil || next != rows {
			t.Fatalf("%d of %d rows, %v", next, rows, err)
		}
		want := matrix.New(rows, 2)
		_ = firstAndSum(want, &stream.Block{X: src.x})
		if !sameBits(want.Data, out.Data) {
			t.Fatalf("got %v, want %v", out.Data, want.Data)
		}
		if !withKept {
			src.kept = []stream.Column{{Kind: stream.Int64}, {Kind: stream.String}, {Kind: stream.Float64}}
		}
		if diff := cmp.Diff(values(src.kept), values(kept)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// firstAndSum is a worker of Map: the first entry and the sum of each row.
func firstAndSum(dst blas64.General, b *stream.Block) error {
	for i := range b.X.Rows {
		y := matrix.Row(dst, i)
		y[0], y[1] = b.X.Data[i*b.X.Stride], 0
		for _, v := range matrix.Row(b.X, i) {
			y[1] += v
		}
	}
	return nil
}

// values returns the values of columns, with nil for null.
func values(cols []stream.Column) [][]any {
	out := make([][]any, len(cols))
	for k, c := range cols {
		for i := range c.Len() {
			switch {
			case c.Null(i):
				out[k] = append(out[k], nil)
			case c.Kind == stream.Float64:
				out[k] = append(out[k], c.Floats[i])
			case c.Kind == stream.Int64:
				out[k] = append(out[k], c.Ints[i])
			default:
				out[k] = append(out[k], c.Strings[i])
			}
		}
	}
	return out
}

// In a live source a block consists of the rows of one read. A fold waits until its blocks are
// full.
func TestMapLive(t *testing.T) {
	src := newTable("x", randomMatrix(5, 20, 3))
	src.info.Live, src.info.OnePass, src.info.Rows = true, true, -1
	src.step = func() int { return 3 }
	var sizes []int
	err := stream.Map(context.Background(), stream.Engine{Threads: 2, BlockRows: 8}, "map", src, 2, false,
		func() func(blas64.General, *stream.Block) error { return firstAndSum },
		func(b *stream.Block, _ blas64.General) error {
			sizes = append(sizes, b.X.Rows)
			return nil
		})
	if diff := cmp.Diff([]int{3, 3, 3, 3, 3, 3, 2}, sizes); diff != "" || err != nil {
		t.Error(diff, err)
	}
	folded := newTable("x", src.x)
	folded.info, folded.step = src.info, src.step
	e := stream.Engine{BlockRows: 8}
	got, err := foldSums(context.Background(), e, folded)
	want, bad := foldSums(context.Background(), e, newTable("x", src.x))
	if err != nil || bad != nil || !sameBits(got.sum, want.sum) {
		t.Errorf("%v, %v; %v, %v", got, err, want, bad)
	}
}

func TestMapErrors(t *testing.T) {
	leavesNothing(t)
	full := errors.New("disk full")
	run := func(workAt, emitAt int64) (emitted int64, err error) {
		err = stream.Map(context.Background(), stream.Engine{Threads: 3, BlockRows: 4}, "", newTable("x", randomMatrix(1, 100, 2)), 2, false,
			func() func(blas64.General, *stream.Block) error {
				return func(_ blas64.General, b *stream.Block) error {
					if b.Index >= workAt {
						return fmt.Errorf("worker: block %d", b.Index)
					}
					return nil
				}
			},
			func(b *stream.Block, _ blas64.General) error {
				if b.Index == emitAt {
					return full
				}
				emitted++
				return nil
			})
		return emitted, err
	}
	if n, err := run(100, 7); err != full || n != 7 {
		t.Errorf("%d blocks, error %v", n, err)
	}
	if n, err := run(5, 7); n != 5 || err == nil || err.Error() != "worker: block 5" {
		t.Errorf("%d blocks, error %v", n, err)
	}
}

// ReadFull fills a batch from short reads, until the rows end.
func TestReadFull(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		src := newTable("x", randomMatrix(2, 50, 2)).keep()
		src.step, src.lazy = odd(9), lazy
		r, err := src.Open(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		dst := stream.Batch{X: matrix.New(30, 2), Kept: []stream.Column{{Kind: stream.Int64}, {Kind: stream.String}, {Kind: stream.Float64}}}
		first, err1 := stream.ReadFull(r, &dst)
		second, err2 := stream.ReadFull(r, &dst)
		if first != 30 || err1 != nil || second != 20 || err2 != io.EOF {
			t.Errorf("read %d, %v and %d, %v", first, err1, second, err2)
		}
		if want := src.kept[0].Ints[30:]; !slices.Equal(dst.Kept[0].Ints, want) {
			t.Errorf("kept %v, want %v", dst.Kept[0].Ints, want)
		}
	}
}

// benchmarkFold measures a fold of an empty accumulator.
func benchmarkFold(b *testing.B, rows, cols, block int) {
	src := stream.FromMatrix("x", matrix.New(rows, cols))
	b.ReportAllocs()
	for b.Loop() {
		_, err := stream.Fold(context.Background(), stream.Engine{BlockRows: block}, "", src, newNothing, func() func(*nothing, *stream.Block) error {
			return func(*nothing, *stream.Block) error { return nil }
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	blocks := float64((rows + block - 1) / block)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/blocks, "ns/block")
}

// nothing is an empty accumulator.
type nothing struct{}

func newNothing() *nothing { return new(nothing) }

func (*nothing) Merge(*nothing) error           { return nil }
func (*nothing) MarshalBinary() ([]byte, error) { return nil, nil }
func (*nothing) UnmarshalBinary([]byte) error   { return nil }

// BenchmarkFold measures the overhead of the engine, per row of 20 numbers and per block.
func BenchmarkFold(b *testing.B) {
	for _, block := range []int{64, 1024, 8192} {
		b.Run(fmt.Sprintf("block=%d", block), func(b *testing.B) { benchmarkFold(b, 1<<18, 20, block) })
	}
}

// The difference in allocations between passes of n and n/2 blocks is that of the steady state:
// none.
func TestFoldAllocations(t *testing.T) {
	allocs := func(rows int) float64 {
		src := stream.FromMatrix("x", matrix.New(rows, 4))
		return testing.AllocsPerRun(3, func() {
			_, _ = stream.Fold(context.Background(), stream.Engine{Threads: 2, BlockRows: 16}, "", src, newNothing, func() func(*nothing, *stream.Block) error {
				return func(*nothing, *stream.Block) error { return nil }
			})
		})
	}
	perBlock := (allocs(16*2000) - allocs(16*1000)) / 1000
	t.Logf("%.1f allocations per block", perBlock)
	if perBlock > 12 {
		t.Errorf("%.1f allocations per block", perBlock)
	}
}
