package stream

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Exact passes visit tiles of row blocks against column blocks: O(n²) time, and
// no more memory than the caller's accumulators. Tiles are visited in rounds.
// In round r the row block i meets the column block (i+r) mod b, so that within
// a round no row block and no column block occurs twice: the visitor may update
// one accumulator per row block and another per column block without locks,
// and since rounds follow one another the order of the updates, and with it
// every bit of the sums, is the same for any number of threads. The upper half
// of a symmetric matrix is what the first ⌊b/2⌋+1 rounds visit.

// PairRows is the block size of exact passes: a tile of PairRows × PairRows
// numbers stays in the second-level cache.
const PairRows = 256

// Shape says which tiles of a matrix an exact pass visits.
type Shape uint8

const (
	// Full visits every tile.
	Full Shape = iota
	// Upper visits each unordered pair of blocks of one source once: the
	// diagonal tiles, and one of each pair of mirrored tiles (not always the
	// one above the diagonal).
	Upper
)

// Pairs visits the tiles of rows × cols. visit is called once per worker and
// returns the function that visits a tile, given its row and its column block.
// Two calls that may run at the same time never share a row block, nor a
// column block; calls with the same row block follow one another in a fixed
// order, and so do those with the same column block. With shape Upper, rows and
// cols must be the same source, and a row block may at the same time be the
// column block of another call.
func Pairs(ctx context.Context, e Engine, name string, rows, cols Gatherer, shape Shape, visit func() func(i, j *Block) error) error {
	bi, bj := pairBlocks(rows), pairBlocks(cols)
	long := max(bi, bj)
	rounds := long
	if shape == Upper {
		rounds = long/2 + 1
	}
	if shape == Upper && bi != bj {
		panic("stream: the upper half of pairs of two different sources")
	}
	grid := &pairGrid{rows: rows, cols: cols, bi: bi, bj: bj, shape: shape}
	workers := make([]tileWorker, e.Workers())
	done := int64(0)
	for r := range rounds {
		if min(bi, bj) == 0 {
			return nil
		}
		err := schedule(ctx, e.Workers(), grid.round(r), grid.reuse(workers, visit), func(struct{}) error {
			done++
			e.report(name, done, grid.tiles())
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func pairBlocks(s Source) int64 {
	n := s.Info().Rows
	if n < 0 {
		panic(fmt.Sprintf("stream: pairs of %s, whose number of rows is unknown", s.Info().Name))
	}
	return (n + PairRows - 1) / PairRows
}

type pairGrid struct {
	rows, cols Gatherer
	bi, bj     int64 // number of row blocks and column blocks
	shape      Shape
}

// tiles is the number of tiles that the pass visits.
func (g *pairGrid) tiles() int64 {
	if g.shape == Upper {
		return g.bi * (g.bi + 1) / 2
	}
	return g.bi * g.bj
}

// round yields the tiles of round r.
func (g *pairGrid) round(r int64) func(context.Context, func([2]int64) bool) error {
	return func(_ context.Context, yield func([2]int64) bool) error {
		short, long := min(g.bi, g.bj), max(g.bi, g.bj)
		if g.shape == Upper && 2*r == long {
			short = r // the last round of an even number meets each pair twice
		}
		for k := range short {
			t := [2]int64{k, (k + r) % long}
			if g.bi > g.bj {
				t[0], t[1] = t[1], t[0]
			}
			if !yield(t) {
				return nil
			}
		}
		return nil
	}
}

// tileWorker fetches the two blocks of a tile and visits it.
type tileWorker func(ctx context.Context, tile [2]int64) (struct{}, error)

// reuse hands the workers to a round, which has at most as many, and makes those
// that are not there yet. So their scratch memory outlives the round.
func (g *pairGrid) reuse(workers []tileWorker, visit func() func(i, j *Block) error) func() func(context.Context, [2]int64) (struct{}, error) {
	var taken atomic.Int64
	return func() func(context.Context, [2]int64) (struct{}, error) {
		w := &workers[taken.Add(1)-1]
		if *w == nil {
			*w = g.worker(visit())
		}
		return *w
	}
}

func (g *pairGrid) worker(do func(i, j *Block) error) tileWorker {
	left, right := newPairBlock(g.rows), newPairBlock(g.cols)
	return func(ctx context.Context, t [2]int64) (struct{}, error) {
		err := left.fetch(ctx, t[0])
		if err == nil {
			err = right.fetch(ctx, t[1])
		}
		if err == nil {
			err = do(&left.block, &right.block)
		}
		return struct{}{}, err
	}
}

// pairBlock is a block of an exact pass and where it comes from.
type pairBlock struct {
	src   Gatherer
	n     int64
	block Block
	rows  []int64
}

func newPairBlock(src Gatherer) *pairBlock {
	info := src.Info()
	return &pairBlock{src: src, n: info.Rows, rows: make([]int64, 0, PairRows), block: Block{X: NewMatrix(PairRows, len(info.Columns))}}
}

// fetch reads the block with the given number. It reads anew a block that is
// there already, since the visitor may have changed it.
func (b *pairBlock) fetch(ctx context.Context, index int64) error {
	start := index * PairRows
	b.rows = b.rows[:0]
	for r := start; r < min(start+PairRows, b.n); r++ {
		b.rows = append(b.rows, r)
	}
	b.block.Index, b.block.Start, b.block.X.Rows = index, start, len(b.rows)
	return b.src.Gather(ctx, b.rows, &Batch{X: b.block.X})
}
