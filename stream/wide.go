package stream

import (
	"context"
	"math"
	"math/bits"

	"github.com/nystream/nystream/stream/tilesize"
)

// A [Fold] keeps a partial accumulator for each level of its tree and for each worker. For Gram
// matrices of thousands of columns these take gigabytes. A wide fold keeps only a few, whatever the
// number of threads:
//
//	leaves    the blocks of the tree have 65,536 rows, so few are in flight
//	blocks    workers compute a T from each small block of a leaf, in any order
//	tiles     the Ts are added in row order to the single accumulator of the leaf; workers
//	          share out its tiles
//
// Everything else is that of a fold: the tree, states and their keys, shards.

const (
	leafRows     = 1 << 16 // rows of a leaf
	blocksPerAdd = 8       // blocks added to the tiles at a time
)

// Wide describes a [FoldWide]: workers compute a T from each block, and the Ts are added to an
// accumulator A. If an accumulator has several parts, their tiles are numbered consecutively.
type Wide[A Accumulator[A], T any] struct {
	// New returns an empty accumulator, and NewT memory for a T.
	New  func() A
	NewT func() T
	// Worker is called once per worker and returns the function that computes a T from a block. It
	// may own scratch memory.
	Worker func() func(made T, b *Block) error
	// AddSmall adds the small parts of the accumulator. It is called for one block after another,
	// in row order.
	AddSmall func(acc A, made T, b *Block) error
	// Tiles is the number of tiles of an accumulator. AddTile adds one tile of blocks already given
	// to AddSmall, in row order. It is called concurrently for different tiles.
	Tiles   int
	AddTile func(acc A, made []T, tile int)
}

// FoldWide is [Fold] for accumulators of many megabytes. It holds at most [Engine.WideStates] of
// them. Blocks of each leaf of 65,536 rows are added in row order, so the result does not depend on
// the number of threads. States are written only between leaves, and parts of a [Run] consist of
// whole leaves.
func FoldWide[A Accumulator[A], T any](ctx context.Context, e Engine, name string, src Source, w Wide[A, T]) (A, error) {
	e.BlockRows = e.leafRows()
	return foldBy(ctx, e, name, src, w.New, func(ctx context.Context, e Engine, forest *Forest[A], leaves []blockRange, added func() error) error {
		f := newWideFold(e, name, src, w, forest)
		f.afterLeaf = added
		return f.run(ctx, leaves)
	})
}

func (e Engine) leafRows() int {
	if e.wide.leaf > 0 {
		return e.wide.leaf
	}
	return leafRows
}

// wideEngine returns the engine with the small blocks that workers get.
func (e Engine) wideEngine() Engine {
	e.BlockRows = tilesize.WideRows
	if e.wide.block > 0 {
		e.BlockRows = e.wide.block
	}
	return e
}

// WideStates returns the maximal number of accumulators that a [FoldWide] of rows rows holds: the
// subtrees of the forest and the current leaf.
func (e Engine) WideStates(rows int64) int64 {
	leaf := int64(e.leafRows())
	return max(1, int64(bits.Len64(uint64((rows+leaf-1)/leaf))))
}

// WideBlocks returns the maximal number of Ts, one per block of [tilesize.WideRows] rows, that a
// [FoldWide] of rows rows of dimension d holds.
func (e Engine) WideBlocks(rows int64, d int) int64 {
	e = e.wideEngine()
	return int64(e.passOf(Info{Rows: rows}, d).buffers() + blocksPerAdd)
}

// wideFold is the state of a [FoldWide].
type wideFold[A Accumulator[A], T any] struct {
	Wide[A, T]
	engine    Engine
	forest    *Forest[A]
	afterLeaf func() error // called after each leaf unless nil
	blocks    *mapRun[T]
	spares    *spares[A]
	slots     chan struct{} // one slot per thread

	acc            A // of the current leaf
	leaf           int64
	hasBlocks      bool // the leaf has blocks
	pendingOutputs []T  // taken, but not yet added to tiles
}

func newWideFold[A Accumulator[A], T any](e Engine, name string, src Source, w Wide[A, T], forest *Forest[A]) *wideFold[A, T] {
	p := newPass(e.wideEngine(), name, src)
	f := &wideFold[A, T]{Wide: w, engine: e, forest: forest, spares: newSpares(w.New, maxLevel), slots: make(chan struct{}, e.Workers())}
	forest.release = f.spares.put
	f.blocks = &mapRun[T]{pass: p, worker: f.worker}
	f.blocks.makeOuts(p.buffers()+blocksPerAdd, w.NewT)
	return f
}

// run folds leaves.
func (f *wideFold[A, T]) run(ctx context.Context, leaves []blockRange) error {
	blocks := int64(f.engine.leafRows() / f.engine.wideEngine().BlockRows) // of a leaf
	for _, r := range leaves {
		end := int64(math.MaxInt64)
		if r.end < end/blocks {
			end = r.end * blocks
		}
		f.blocks.ranges = append(f.blocks.ranges, blockRange{r.first * blocks, end})
	}
	f.blocks.emit = func(b *Block, made T) error { return f.addBlock(ctx, b, made) }
	if err := f.blocks.run(ctx); err != nil {
		return err
	}
	return f.finishLeaf(ctx)
}

// withSlot does work while holding a slot, so that at most the given number of threads work.
func (f *wideFold[A, T]) withSlot(work func()) {
	f.slots <- struct{}{}
	defer func() { <-f.slots }()
	work()
}

// worker wraps the worker of the Wide in a slot.
func (f *wideFold[A, T]) worker() func(made T, b *Block) error {
	do := f.Worker()
	return func(made T, b *Block) (err error) {
		f.withSlot(func() { err = do(made, b) })
		return err
	}
}

// addBlock adds a block to the current leaf.
func (f *wideFold[A, T]) addBlock(ctx context.Context, b *Block, made T) error {
	leaf := b.Start / int64(f.engine.leafRows())
	if f.hasBlocks && leaf != f.leaf {
		if err := f.finishLeaf(ctx); err != nil {
			return err
		}
	}
	if !f.hasBlocks {
		f.acc, f.leaf, f.hasBlocks = f.spares.get(), leaf, true
	}
	f.pendingOutputs = append(f.pendingOutputs, made)
	if err := f.AddSmall(f.acc, made, b); err != nil {
		return err
	}
	if len(f.pendingOutputs) == blocksPerAdd {
		return f.addTiles(ctx)
	}
	return nil
}

// addTiles adds the pending blocks to the tiles, and frees them.
func (f *wideFold[A, T]) addTiles(ctx context.Context) error {
	if len(f.pendingOutputs) == 0 {
		return nil
	}
	err := Each(ctx, f.engine.Threads, f.Tiles, func(tile int) error {
		f.withSlot(func() { f.AddTile(f.acc, f.pendingOutputs, tile) })
		return nil
	})
	for _, made := range f.pendingOutputs {
		f.blocks.outs <- made
	}
	f.pendingOutputs = f.pendingOutputs[:0]
	return err
}

// finishLeaf adds the current leaf to the forest.
func (f *wideFold[A, T]) finishLeaf(ctx context.Context) error {
	if !f.hasBlocks {
		return nil
	}
	if err := f.addTiles(ctx); err != nil {
		return err
	}
	f.hasBlocks = false
	if err := f.forest.Add(f.leaf, f.acc); err != nil || f.afterLeaf == nil {
		return err
	}
	return f.afterLeaf()
}
