package stream_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// inPieces yields the rows of x a few at a time, in reused memory.
func inPieces(x blas64.General, sizes func() int) func(context.Context) iter.Seq2[stream.Batch, error] {
	return func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			piece := matrix.New(x.Rows, x.Cols)
			for first := 0; first < x.Rows; {
				n := min(sizes(), x.Rows-first)
				for i := range n {
					copy(matrix.Row(piece, i), matrix.Row(x, first+i))
				}
				if !yield(stream.Batch{X: matrix.Rows(piece, 0, n)}, nil) {
					return
				}
				first += n
			}
		}
	}
}

func seqInfo(rows int64) stream.Info {
	return stream.Info{Name: "generated", Columns: []string{"a", "b"}, Rows: rows}
}

func TestFromSeq(t *testing.T) {
	leavesNothing(t)
	x := randomMatrix(1, 300, 2)
	want, err := foldSums(context.Background(), stream.Engine{BlockRows: 16}, stream.FromMatrix("x", x))
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int64{300, -1} {
		src := stream.FromSeq(seqInfo(rows), inPieces(x, odd(4)))
		for range 2 { // it may be read again
			got, err := foldSums(context.Background(), stream.Engine{BlockRows: 16}, src)
			if err != nil || !sameBits(got.sum, want.sum) || got.rows != 300 {
				t.Errorf("%v, %v, want %v", got, err, want)
			}
		}
		m, err := stream.GatherRows(context.Background(), src, []int64{0, 7, 299})
		if err != nil || !sameBits(matrix.Row(m, 2), matrix.Row(x, 299)) {
			t.Errorf("gathered %v, %v", m, err)
		}
	}
	got, err := foldSums(context.Background(), stream.Engine{}, stream.FromSeq(seqInfo(-1), inPieces(matrix.New(0, 2), nil)))
	if err != nil || got.rows != 0 {
		t.Errorf("no matrices: %v, %v", got, err)
	}
}

// A slow generator that keeps yielding is not a stall.
func TestFromSeqSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := randomMatrix(1, 40, 2)
		src := stream.FromSeq(seqInfo(40), inPieces(x, func() int { time.Sleep(12 * time.Second); return 1 }))
		if got, err := foldSums(context.Background(), stream.Engine{}, src); err != nil || got.rows != 40 {
			t.Errorf("%v, %v", got, err)
		}
	})
}

func TestFromSeqErrors(t *testing.T) {
	leavesNothing(t)
	x := randomMatrix(1, 30, 2)
	after := func(m blas64.General, err error) stream.Source {
		return stream.FromSeq(seqInfo(-1), func(context.Context) iter.Seq2[stream.Batch, error] {
			return func(yield func(stream.Batch, error) bool) {
				_ = yield(stream.Batch{X: x}, nil) && yield(stream.Batch{X: m}, err)
			}
		})
	}
	_, err := foldSums(context.Background(), stream.Engine{BlockRows: 7}, after(matrix.New(4, 3), nil))
	checkError(t, err, "generated", "a batch has 3 columns, not 2")
	lost := errors.New("connection lost")
	if _, err := foldSums(context.Background(), stream.Engine{BlockRows: 7}, after(blas64.General{}, lost)); !errors.Is(err, lost) {
		t.Errorf("error %v", err)
	}
	_, err = foldSums(context.Background(), stream.Engine{}, stream.FromSeq(seqInfo(31), inPieces(x, odd(1))))
	checkError(t, err, "generated", "promised 31 rows and gave 30")

	checkPanic(t, "upset", func() {
		foldSums(context.Background(), stream.Engine{}, stream.FromSeq(seqInfo(-1), func(context.Context) iter.Seq2[stream.Batch, error] {
			return func(func(stream.Batch, error) bool) { panic("upset") }
		}))
	})
}

// A pass that ends early lets the sequence clean up.
func TestFromSeqIsStopped(t *testing.T) {
	leavesNothing(t)
	stopped := false
	src := stream.FromSeq(seqInfo(-1), func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			defer func() { stopped = true }()
			for yield(stream.Batch{X: matrix.New(5, 2)}, nil) {
			}
		}
	})
	bad := errors.New("bad block")
	_, err := stream.Fold(context.Background(), stream.Engine{BlockRows: 8}, "", src, newSums, func() func(*sums, *stream.Block) error {
		return func(s *sums, b *stream.Block) error {
			if b.Index == 3 {
				return bad
			}
			return s.add(b)
		}
	})
	if !errors.Is(err, bad) || !stopped {
		t.Errorf("error %v, stopped: %v", err, stopped)
	}
}

func TestFromSeqOnce(t *testing.T) {
	calls := 0
	info := seqInfo(-1)
	info.OnePass = true
	src := stream.FromSeq(info, func(ctx context.Context) iter.Seq2[stream.Batch, error] {
		calls++
		return inPieces(randomMatrix(1, 30, 2), odd(1))(ctx)
	})
	_, err := stream.GatherRows(context.Background(), src, []int64{3})
	checkError(t, err, "generated can be read only once", "`Session.Spool`")
	if got, err := foldSums(context.Background(), stream.Engine{}, src); err != nil || got.rows != 30 {
		t.Errorf("%v, %v", got, err)
	}
	_, err = foldSums(context.Background(), stream.Engine{}, src)
	checkError(t, err, "generated can be read only once", "`Session.Spool`")
	if calls != 1 {
		t.Errorf("the sequence was made %d times", calls)
	}
}

func TestLoad(t *testing.T) {
	ctx := context.Background()
	x := randomMatrix(1, 2500, 3)
	for _, rows := range []int64{2500, -1} {
		src := newTable("a.csv", x).keep()
		src.info.Rows, src.step, src.info.OnePass, src.info.PassesToOpen = rows, odd(5), true, 1
		loaded, err := stream.InMemory(ctx, src, 2500*3*8)
		if err != nil {
			t.Fatal(err)
		}
		info := loaded.Info()
		if info.Rows != 2500 || info.OnePass || len(info.Kept) != 0 || info.Name != "a.csv" || info.PassesToOpen != 1 || len(info.Columns) != 3 {
			t.Errorf("loaded %+v", info)
		}
		all := make([]int64, 2500)
		for i := range all {
			all[i] = int64(i)
		}
		got, err := stream.GatherRows(ctx, loaded, all)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if !sameBits(matrix.Row(got, i), matrix.Row(x, i)) {
				t.Fatalf("row %d is %v", i, matrix.Row(got, i))
			}
		}

		src = newTable("a.csv", x)
		src.info.Rows = rows
		_, err = stream.InMemory(ctx, src, 2500*3*8-1)
		checkError(t, err, "a.csv", "do not fit in 59999 bytes")
		if known := rows >= 0; known == (src.opens.Load() == 1) || src.opens.Load() != src.closes.Load() {
			t.Errorf("rows %d: opened %d times, closed %d times", rows, src.opens.Load(), src.closes.Load())
		}
	}
}

func TestLoadErrors(t *testing.T) {
	ctx := context.Background()
	for _, promised := range []int64{0, 29, 31} {
		src := newTable("liar.npy", randomMatrix(1, 30, 2))
		src.info.Rows = promised
		_, err := stream.InMemory(ctx, src, 0)
		what := "gives more"
		if promised > 30 {
			what = "gave 30"
		}
		checkError(t, err, "liar.npy", what, "changed or is damaged")
	}
	broken := errors.New("broken")
	src := newTable("x", randomMatrix(1, 30, 2))
	src.before = func(int) error { return broken }
	if _, err := stream.InMemory(ctx, src, 0); !errors.Is(err, broken) || src.closes.Load() != 1 {
		t.Errorf("error %v, closed %d times", err, src.closes.Load())
	}
	src.open = func() error { return broken }
	if _, err := stream.InMemory(ctx, src, 0); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	empty, err := stream.InMemory(ctx, newTable("empty", blas64.General{Cols: 2, Stride: 2}), 8)
	if err != nil || empty.Info().Rows != 0 {
		t.Errorf("%v, %v", empty, err)
	}
}

// ReadAll returns all rows, whether their number is known, unknown, or promised beyond any memory.
func TestReadAll(t *testing.T) {
	x := randomMatrix(1, 2500, 3)
	for _, rows := range []int64{2500, -1} {
		src := newTable("a.csv", x).keep()
		src.info.Rows, src.step, src.info.OnePass = rows, odd(5), true
		got, err := stream.ReadAll(context.Background(), src)
		if err != nil || got.Rows != 2500 || got.Cols != 3 || src.closes.Load() != 1 {
			t.Fatalf("%d×%d, closed %d times, %v", got.Rows, got.Cols, src.closes.Load(), err)
		}
		for i := range got.Rows {
			if !sameBits(matrix.Row(got, i), matrix.Row(x, i)) {
				t.Fatalf("row %d is %v", i, matrix.Row(got, i))
			}
		}
	}
	src := newTable("liar.npy", x)
	src.info.Rows = math.MaxInt64 / 2
	if testing.Short() { // otherwise ReadAll reserves 1 GiB
		src.info.Rows = 2501
	}
	_, err := stream.ReadAll(context.Background(), src)
	checkError(t, err, "liar.npy", "gave 2500")
}

// MapRows returns results in row order in one matrix, also with no columns.
func TestMapRows(t *testing.T) {
	x := randomMatrix(1, 999, 2)
	for _, rows := range []int64{999, -1} {
		for _, cols := range []int{1, 0} {
			src := newTable("a.csv", x)
			src.info.Rows = rows
			got, err := stream.MapRows(context.Background(), stream.Engine{Threads: 3, BlockRows: 64}, "double", src, cols, func() func(dst blas64.General, b *stream.Block) error {
				return func(dst blas64.General, b *stream.Block) error {
					for i := range dst.Rows * cols {
						dst.Data[i] = 2 * b.X.Data[i*b.X.Stride+1]
					}
					return nil
				}
			})
			if err != nil || got.Rows != 999 || got.Cols != cols {
				t.Fatalf("%d×%d, %v", got.Rows, got.Cols, err)
			}
			for i := range got.Rows * cols {
				if got.Data[i] != 2*x.Data[i*x.Stride+1] {
					t.Fatalf("row %d is %v", i, got.Data[i])
				}
			}
		}
	}
}
