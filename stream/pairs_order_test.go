package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// tilesInOrder visits all tiles. It returns the sequence of column blocks of each row block, and of
// row blocks of each column block.
func tilesInOrder(t *rapid.T, threads, n, m int, upper bool) (byRow, byCol map[int64][]int64) {
	byRow, byCol = map[int64][]int64{}, map[int64][]int64{}
	var mu sync.Mutex
	rows := &stream.RowNumbers{Name: "rows", Rows: int64(n)}
	cols := &stream.RowNumbers{Name: "cols", Rows: int64(m)}
	err := stream.Pairs(context.Background(), stream.Engine{Threads: threads}, "", rows, cols, upper, func() func(i, j *stream.Block) error {
		return func(i, j *stream.Block) error {
			mu.Lock()
			defer mu.Unlock()
			byRow[i.Index] = append(byRow[i.Index], j.Index)
			byCol[j.Index] = append(byCol[j.Index], i.Index)
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return byRow, byCol
}

// Each row block meets the column blocks in the order of rounds and vice versa, for any number of threads and any
// shape.
func TestPairsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12*tilesize.PairRows).Draw(t, "n")
		m, upper := rapid.IntRange(1, 12*tilesize.PairRows).Draw(t, "m"), false
		if rapid.Bool().Draw(t, "upper") {
			m, upper = n, true
		}
		wantRow, wantCol := map[int64][]int64{}, map[int64][]int64{}
		bi, bj := blocksOf(n), blocksOf(m)
		long, rounds := max(bi, bj), max(bi, bj)
		if upper {
			rounds = long/2 + 1
		}
		for r := range rounds {
			for k := range min(bi, bj) {
				if upper && 2*r == long && k >= r {
					continue
				}
				i, j := k, (k+r)%long
				if bi > bj {
					i, j = j, i
				}
				wantRow[i], wantCol[j] = append(wantRow[i], j), append(wantCol[j], i)
			}
		}
		byRow, byCol := tilesInOrder(t, rapid.IntRange(1, 5).Draw(t, "threads"), n, m, upper)
		for what, c := range map[string][2]map[int64][]int64{"row": {wantRow, byRow}, "column": {wantCol, byCol}} {
			if len(c[0]) != len(c[1]) {
				t.Fatalf("%d %s blocks, want %d", len(c[1]), what, len(c[0]))
			}
			for index, want := range c[0] {
				if !slices.Equal(want, c[1][index]) {
					t.Fatalf("%s block %d met %v, want %v", what, index, c[1][index], want)
				}
			}
		}
	})
}

// If several tiles fail, the error of the earliest round is returned.
func TestPairsFirstError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.IntRange(1, 9).Draw(t, "blocks")
		bad := rapid.SliceOfNDistinct(rapid.IntRange(0, blocks*blocks-1), 1, 3, rapid.ID[int]).Draw(t, "bad places")
		rows := &stream.RowNumbers{Name: "rows", Rows: int64(blocks * tilesize.PairRows)}
		err := stream.Pairs(context.Background(), stream.Engine{Threads: rapid.IntRange(1, 4).Draw(t, "threads")}, "", rows, rows, false,
			func() func(i, j *stream.Block) error {
				return func(i, j *stream.Block) error {
					place := (int(j.Index-i.Index)+blocks)%blocks*blocks + int(i.Index)
					if slices.Contains(bad, place) {
						return errors.New(fmt.Sprint(place))
					}
					return nil
				}
			})
		if want := fmt.Sprint(slices.Min(bad)); err == nil || err.Error() != want {
			t.Fatalf("error %v, want %s", err, want)
		}
	})
}
