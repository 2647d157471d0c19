package stream

import (
	"context"
	"math"
	"math/bits"

	"github.com/nystream/nystream/stream/tilesize"
)

// A [Fold] keeps a partial accumulator for each level of its tree and for each worker. Of a Gram
// matrix of thousands of columns that is gigabytes. A wide fold keeps a few, whatever the threads:
//
//	leaves    the blocks of the tree have 65,536 rows: few are under way
//	blocks    workers make something of small blocks of a leaf, in any order
//	tiles     what they made is added in row order to the one accumulator of the leaf; workers
//	          share out its tiles
//
// Everything else is that of a fold: the tree, states and their keys, shards.

const (
	leafRows = 1 << 16 // of a leaf
	together = 8       // blocks that are added to tiles at a time
)

// Wide says what a [FoldWide] does: workers make a T of each block, and the Ts are added to an
// accumulator A. An accumulator may have several parts, whose tiles are counted through.
type Wide[A Accumulator[A], T any] struct {
	// New makes an empty accumulator, and Room the memory for a T.
	New  func() A
	Room func() T
	// Worker is called once per worker and returns the function that makes a T of a block. It
	// may own scratch memory.
	Worker func() func(made T, b *Block) error
	// Take adds what is small. It is called for one block after the other, in row order.
	Take func(acc A, made T, b *Block) error
	// Tiles is the number of tiles of an accumulator. Add adds a tile of blocks that were taken,
	// in row order; it is called for different tiles at the same time.
	Tiles int
	Add   func(acc A, made []T, tile int)
}

// FoldWide is [Fold] for accumulators of many megabytes. It holds [Engine.WideStates] of them and
// no more, and adds the blocks of 65,536 rows in row order: the result does not depend on the
// number of threads. States are written after such a leaf only, and parts of a [Run] consist of
// whole leaves.
func FoldWide[A Accumulator[A], T any](ctx context.Context, e Engine, name string, src Source, w Wide[A, T]) (A, error) {
	e.BlockRows = e.leafRows()
	return foldBy(ctx, e, name, src, w.New, func(ctx context.Context, e Engine, forest *Forest[A], leaves []blockRange, added func() error) error {
		f := newWideFold(e, name, src, w, forest)
		f.added = added
		return f.run(ctx, leaves)
	})
}

func (e Engine) leafRows() int {
	if e.wide.leaf > 0 {
		return e.wide.leaf
	}
	return leafRows
}

// wideEngine returns the engine whose blocks are those that workers get.
func (e Engine) wideEngine() Engine {
	e.BlockRows = tilesize.WideRows
	if e.wide.block > 0 {
		e.BlockRows = e.wide.block
	}
	return e
}

// WideStates returns how many accumulators a [FoldWide] of so many rows holds at most: the subtrees
// of the forest and that of a leaf.
func (e Engine) WideStates(rows int64) int64 {
	leaf := int64(e.leafRows())
	return max(1, int64(bits.Len64(uint64((rows+leaf-1)/leaf))))
}

// WideBlocks returns how many blocks of at most [tilesize.WideRows] rows a [FoldWide] of so many rows of
// dimension d makes something of at a time.
func (e Engine) WideBlocks(rows int64, d int) int64 {
	e = e.wideEngine()
	return int64(e.passOf(Info{Rows: rows}, d).buffers() + together)
}

// wideFold is a [FoldWide] under way.
type wideFold[A Accumulator[A], T any] struct {
	Wide[A, T]
	engine Engine
	forest *Forest[A]
	added  func() error // if not nil, is called after each leaf
	blocks *mapping[T]
	spares *spares[A]
	turns  chan struct{} // as many as threads may work

	acc  A // of the leaf under way
	leaf int64
	open bool // a block of it was taken
	made []T  // taken, but not yet added to tiles
}

func newWideFold[A Accumulator[A], T any](e Engine, name string, src Source, w Wide[A, T], forest *Forest[A]) *wideFold[A, T] {
	p := newPass(e.wideEngine(), name, src)
	f := &wideFold[A, T]{Wide: w, engine: e, forest: forest, spares: newSpares(w.New, maxLevel), turns: make(chan struct{}, e.Workers())}
	forest.spent = f.spares.put
	f.blocks = &mapping[T]{pass: p, worker: f.worker}
	f.blocks.makeOuts(p.buffers()+together, w.Room)
	return f
}

// run folds some leaves.
func (f *wideFold[A, T]) run(ctx context.Context, leaves []blockRange) error {
	blocks := int64(f.engine.leafRows() / f.engine.wideEngine().BlockRows) // of a leaf
	for _, r := range leaves {
		end := int64(math.MaxInt64)
		if r.end < end/blocks {
			end = r.end * blocks
		}
		f.blocks.ranges = append(f.blocks.ranges, blockRange{r.first * blocks, end})
	}
	f.blocks.emit = func(b *Block, made T) error { return f.take(ctx, b, made) }
	if err := f.blocks.run(ctx); err != nil {
		return err
	}
	return f.plant(ctx)
}

// inTurn does work of one thread.
func (f *wideFold[A, T]) inTurn(work func()) {
	f.turns <- struct{}{}
	defer func() { <-f.turns }()
	work()
}

// worker is that of the blocks.
func (f *wideFold[A, T]) worker() func(made T, b *Block) error {
	do := f.Worker()
	return func(made T, b *Block) (err error) {
		f.inTurn(func() { err = do(made, b) })
		return err
	}
}

// take adds a block.
func (f *wideFold[A, T]) take(ctx context.Context, b *Block, made T) error {
	leaf := b.Start / int64(f.engine.leafRows())
	if f.open && leaf != f.leaf {
		if err := f.plant(ctx); err != nil {
			return err
		}
	}
	if !f.open {
		f.acc, f.leaf, f.open = f.spares.get(), leaf, true
	}
	f.made = append(f.made, made)
	if err := f.Take(f.acc, made, b); err != nil {
		return err
	}
	if len(f.made) == together {
		return f.addTiles(ctx)
	}
	return nil
}

// addTiles adds the blocks that were taken, and frees them.
func (f *wideFold[A, T]) addTiles(ctx context.Context) error {
	if len(f.made) == 0 {
		return nil
	}
	err := Each(ctx, f.engine.Threads, f.Tiles, func(tile int) error {
		f.inTurn(func() { f.Add(f.acc, f.made, tile) })
		return nil
	})
	for _, made := range f.made {
		f.blocks.outs <- made
	}
	f.made = f.made[:0]
	return err
}

// plant puts a leaf that is complete into the forest.
func (f *wideFold[A, T]) plant(ctx context.Context) error {
	if !f.open {
		return nil
	}
	if err := f.addTiles(ctx); err != nil {
		return err
	}
	f.open = false
	if err := f.forest.Add(f.leaf, f.acc); err != nil || f.added == nil {
		return err
	}
	return f.added()
}
