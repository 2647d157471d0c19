package stream_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// alive counts accumulators that exist and were not merged into others.
type alive struct {
	now, most *atomic.Int64
}

func (a *alive) Merge(*alive) error             { a.now.Add(-1); return nil }
func (a *alive) MarshalBinary() ([]byte, error) { return nil, nil }
func (a *alive) UnmarshalBinary([]byte) error   { return nil }

// A fold holds no more accumulators than planned, however long its runs are.
func TestFoldStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := stream.Engine{Threads: rapid.IntRange(1, 8).Draw(t, "threads"), BlockRows: 4}
		rows := rapid.IntRange(1, 3000).Draw(t, "rows")
		src := newTable("x", randomMatrix(1, rows, 1))
		src.info.SeekCost = rapid.SampledFrom([]int64{0, 1, 5, 20, 70}).Draw(t, "lead")
		var now, most atomic.Int64
		_, err := stream.Fold(context.Background(), e, "", src, func() *alive {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			return &alive{&now, &most}
		}, func() func(*alive, *stream.Block) error {
			return func(*alive, *stream.Block) error { return nil }
		})
		if err != nil || now.Load() != 1 {
			t.Fatalf("%d are left, %v", now.Load(), err)
		}
		if plan := e.FoldStates(int64(rows), 1); most.Load() > plan {
			t.Fatalf("%d accumulators at a time, %d planned", most.Load(), plan)
		}
	})
}

// The result and the first error in data order do not depend on threads or on the length of runs.
func TestFoldAnyRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 900).Draw(t, "rows")
		block := rapid.IntRange(1, 12).Draw(t, "block")
		bad := rapid.SliceOfN(rapid.IntRange(0, 2*rows), 0, 4).Draw(t, "bad rows")
		unreadable := rapid.IntRange(0, 4*rows).Draw(t, "unreadable row")
		run := func(threads int, lead int64) (*sums, error) {
			src := newTable("x", randomMatrix(9, rows, 2))
			src.info.SeekCost = lead
			src.step = odd(uint64(threads))
			src.before = func(row int) error {
				if row/block >= unreadable/block {
					return rowError{"unreadable", unreadable / block}
				}
				return nil
			}
			return stream.Fold(context.Background(), stream.Engine{Threads: threads, BlockRows: block}, "", src, newSums, func() func(*sums, *stream.Block) error {
				return func(s *sums, b *stream.Block) error {
					for _, row := range bad {
						if row >= int(b.Start) && row < int(b.Start)+b.X.Rows {
							return rowError{"bad", row / block}
						}
					}
					return s.add(b)
				}
			})
		}
		want, wantErr := run(1, 0)
		for range 3 {
			got, err := run(rapid.IntRange(1, 6).Draw(t, "threads"), rapid.SampledFrom([]int64{0, 1, 3, 10, 50}).Draw(t, "lead"))
			if err != wantErr {
				t.Fatalf("error %v, want %v", err, wantErr)
			}
			if err == nil && !sameBits(got.sum, want.sum) {
				t.Fatalf("%v, want %v", got.sum, want.sum)
			}
		}
	})
}

// rowError is an error in a block.
type rowError struct {
	what  string
	block int
}

func (e rowError) Error() string { return e.what }

// The output and the first error of Map do not depend on threads and readers.
func TestMapAnyReaders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 500).Draw(t, "rows")
		block := rapid.IntRange(1, 12).Draw(t, "block")
		bad := rapid.IntRange(0, 3*rows).Draw(t, "bad row")
		unreadable := rapid.IntRange(0, 3*rows).Draw(t, "unreadable row")
		run := func(threads int, lead int64) (sum []float64, err error) {
			src := newTable("x", randomMatrix(9, rows, 2)).keep()
			src.info.SeekCost = lead
			src.step = odd(uint64(threads))
			src.before = func(row int) error {
				if row/block >= unreadable/block {
					return rowError{"unreadable", unreadable / block}
				}
				return nil
			}
			err = stream.Map(context.Background(), stream.Engine{Threads: threads, BlockRows: block}, "", src, 2, true,
				func() func(blas64.General, *stream.Block) error {
					return func(dst blas64.General, b *stream.Block) error {
						if bad >= int(b.Start) && bad < int(b.Start)+b.X.Rows {
							return rowError{"bad", bad / block}
						}
						return firstAndSum(dst, b)
					}
				}, func(b *stream.Block, out blas64.General) error {
					for i := range out.Rows {
						if b.Kept[0].Ints[i] != b.Start+int64(i) {
							t.Fatalf("row %d keeps %d", b.Start+int64(i), b.Kept[0].Ints[i])
						}
						sum = append(sum, matrix.Row(out, i)...)
					}
					return nil
				})
			return sum, err
		}
		want, wantErr := run(1, 0)
		for range 3 {
			got, err := run(rapid.IntRange(1, 6).Draw(t, "threads"), rapid.SampledFrom([]int64{0, 1, 3, 10}).Draw(t, "lead"))
			if err != wantErr || !sameBits(got, want) {
				t.Fatalf("%d numbers and error %v, want %d and %v", len(got), err, len(want), wantErr)
			}
		}
	})
}

// Dropped rows do not shift the blocks of the others, whatever the number of readers.
func TestFoldDroppedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := randomMatrix(11, rapid.IntRange(1, 400).Draw(t, "rows"), 2)
		for i := range x.Rows {
			if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
				matrix.Row(x, i)[1] = math.NaN()
			}
		}
		run := func(threads int) *sums {
			e := stream.Engine{Threads: threads, BlockRows: 7}
			src, err := prepare.New(context.Background(), e, newTable("x", x),
				prepare.Treatment{Nulls: prepare.NullsDrop, Scale: prepare.ScaleStandard})
			if err != nil {
				t.Fatal(err)
			}
			got, err := foldSums(context.Background(), e, src)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		want := run(1)
		if got := run(rapid.IntRange(2, 6).Draw(t, "threads")); !sameBits(got.sum, want.sum) || got.rows != want.rows {
			t.Fatalf("%d rows %v, want %d %v", got.rows, got.sum, want.rows, want.sum)
		}
	})
}

// pagedTable is a table in pages: a reader that begins inside a page reads it from its first row.
type pagedTable struct {
	*table
	page int64
	read atomic.Int64 // rows, including those read in vain
}

func (s *pagedTable) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := s.table.Open(ctx, first)
	return &pagedReader{r, s, first % s.page}, err
}

type pagedReader struct {
	stream.Reader
	table *pagedTable
	skip  int64
}

func (r *pagedReader) Read(dst *stream.Batch) (int, error) {
	n, err := r.Reader.Read(dst)
	r.table.read.Add(int64(n) + r.skip)
	r.skip = 0
	return n, err
}

// A pass rereads pages only if its readers read few rows in vain, or if there are enough readers to
// be four times as fast.
func TestReadersReadLittleAgain(t *testing.T) {
	const rows, block = 40_000, 64
	for _, page := range []int64{1, 10, 16, 100, 128, 500, 1000, 5000} {
		for _, threads := range []int{2, 3, 8, 32} {
			for _, pass := range []string{"fold", "map"} {
				src := &pagedTable{table: newTable("x", randomMatrix(3, rows, 1)), page: page}
				src.info.SeekCost = page
				e := stream.Engine{Threads: threads, BlockRows: block}
				var err error
				if pass == "fold" {
					_, err = stream.Fold(t.Context(), e, "", src, newSums, func() func(*sums, *stream.Block) error { return (*sums).add })
				} else {
					err = stream.Map(t.Context(), e, "", src, 2, false, func() func(blas64.General, *stream.Block) error { return firstAndSum },
						func(*stream.Block, blas64.General) error { return nil })
				}
				if err != nil {
					t.Fatal(err)
				}
				times, readers := float64(src.read.Load())/rows, src.opens.Load()
				if times > 1.26 && times > float64(min(threads, e.Workers()))/4 {
					t.Errorf("%s, %d threads, pages of %d rows: %g times", pass, threads, page, times)
				}
				if page <= block/4 && readers == 1 {
					t.Errorf("%s, %d threads, pages of %d rows: one reader", pass, threads, page)
				}
			}
		}
	}
}

// Gathering rows that were not dropped reads no page twice, and little more than their blocks.
func TestRowsLeftAreFetchedOnce(t *testing.T) {
	const rows, block = 20_000, 64
	x := randomMatrix(4, rows, 2)
	for i := 3; i < rows; i += 7 {
		x.Data[i*x.Stride] = math.NaN()
	}
	for _, page := range []int64{1, 50, 1000, 30_000} {
		for _, apart := range []int64{1, 40, 3000} {
			src := &pagedTable{table: newTable("x", x).keep(), page: page}
			src.info.SeekCost = page
			left, err := prepare.New(t.Context(), stream.Engine{BlockRows: block}, src, prepare.Treatment{Nulls: prepare.NullsDrop})
			if err != nil {
				t.Fatal(err)
			}
			var wanted []int64
			for row := int64(5); row < left.Info().Rows; row += apart {
				wanted = append(wanted, row)
			}
			src.read.Store(0)
			opens := src.opens.Load()
			got := stream.Batch{X: matrix.New(len(wanted), 2), Kept: left.Info().NewKept()}
			if err := left.Gather(t.Context(), wanted, &got); err != nil {
				t.Fatal(err)
			}
			for i, row := range wanted {
				raw := row/6*7 + row%6
				if row%6 >= 3 {
					raw++
				}
				if got.X.Data[2*i] != x.Data[int(raw)*x.Stride] || got.X.Data[2*i+1] != x.Data[int(raw)*x.Stride+1] || got.Kept[0].Ints[i] != raw {
					t.Fatalf("row %d is not raw row %d", row, raw)
				}
			}
			if n := src.read.Load(); n > rows || n > int64(len(wanted))*(block+page) {
				t.Errorf("pages of %d rows, each %dth row: %d rows were read", page, apart, n)
			}
			if opened, closed := src.opens.Load(), src.closes.Load(); opened != closed || opened-opens > int64(len(wanted)) {
				t.Errorf("%d readers opened, %d closed", opened, closed)
			}
		}
	}
}
