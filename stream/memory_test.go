package stream_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

func TestLoad(t *testing.T) {
	ctx := context.Background()
	x := randomMatrix(1, 2500, 3)
	for _, rows := range []int64{2500, -1} {
		src := newTable("a.csv", x).keep()
		src.info.Rows, src.step, src.info.Once, src.info.Scans = rows, odd(5), true, 1
		loaded, err := stream.Load(ctx, src, 2500*3*8)
		if err != nil {
			t.Fatal(err)
		}
		info := loaded.Info()
		if info.Rows != 2500 || info.Once || len(info.Kept) != 0 || info.Name != "a.csv" || info.Scans != 1 || len(info.Columns) != 3 {
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
			if !sameBits(rowOf(got, i), rowOf(x, i)) {
				t.Fatalf("row %d is %v", i, rowOf(got, i))
			}
		}

		src = newTable("a.csv", x)
		src.info.Rows = rows
		_, err = stream.Load(ctx, src, 2500*3*8-1)
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
		_, err := stream.Load(ctx, src, 0)
		what := "gives more"
		if promised > 30 {
			what = "gave 30"
		}
		checkError(t, err, "liar.npy", what, "changed or is damaged")
	}
	broken := errors.New("broken")
	src := newTable("x", randomMatrix(1, 30, 2))
	src.before = func(int) error { return broken }
	if _, err := stream.Load(ctx, src, 0); !errors.Is(err, broken) || src.closes.Load() != 1 {
		t.Errorf("error %v, closed %d times", err, src.closes.Load())
	}
	src.open = func() error { return broken }
	if _, err := stream.Load(ctx, src, 0); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	empty, err := stream.Load(ctx, newTable("empty", blas64.General{Cols: 2, Stride: 2}), 8)
	if err != nil || empty.Info().Rows != 0 {
		t.Errorf("%v, %v", empty, err)
	}
}

// TestReadAll: all rows in a matrix of their own, whether their number is known or not,
// or promised beyond what any machine has.
func TestReadAll(t *testing.T) {
	x := randomMatrix(1, 2500, 3)
	for _, rows := range []int64{2500, -1} {
		src := newTable("a.csv", x).keep()
		src.info.Rows, src.step, src.info.Once = rows, odd(5), true
		got, err := stream.ReadAll(context.Background(), src)
		if err != nil || got.Rows != 2500 || got.Cols != 3 || src.closes.Load() != 1 {
			t.Fatalf("%d×%d, closed %d times, %v", got.Rows, got.Cols, src.closes.Load(), err)
		}
		for i := range got.Rows {
			if !sameBits(rowOf(got, i), rowOf(x, i)) {
				t.Fatalf("row %d is %v", i, rowOf(got, i))
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

// TestMapRows: what a pass makes of rows is in order in one matrix, also with no
// columns.
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
