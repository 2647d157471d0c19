package stream

import "context"

// folder adds blocks to a forest, like [foldBlocks].
type folder[A Accumulator[A]] func(ctx context.Context, e Engine, forest *Forest[A], ranges []blockRange, added func() error) error

// foldWhole is [foldBy] without checkpoints.
func foldWhole[A Accumulator[A]](ctx context.Context, e Engine, newAcc func() A, fold folder[A]) (A, error) {
	var none A
	forest := NewForest(newAcc)
	if err := fold(ctx, e, forest, allBlocks, nil); err != nil {
		return none, err
	}
	return forest.Finish(forest.Blocks())
}

// foldBlocks adds the blocks in ranges to forest, and reads only their rows. The ranges ascend, do
// not overlap, and may extend past the last block. forest must not contain any of the blocks.
// added, if not nil, is called after every block or every few blocks, on the calling goroutine; the
// forest may then be serialised. After an error the forest holds blocks before the failed one and
// possibly later ones, each complete. It may still be serialised unless a merge failed, which loses
// blocks.
//
// No stage is serial if seeking is cheap: each worker reads runs of blocks with its own reader, and
// merges two siblings if it completed the second. Otherwise a single goroutine reads.
func foldBlocks[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, forest *Forest[A], ranges []blockRange,
	worker func() func(acc A, b *Block) error, added func() error) error {
	accs := newSpares(forest.newAcc, 2*(e.Workers()+lookahead))
	forest.release = accs.put
	p := newPass(e, name, src)
	f := &foldCollector{pass: p, added: added}
	grow := func() func(*Block) *failure {
		add := worker()
		return func(b *Block) *failure {
			acc := accs.get()
			if err := add(acc, b); err != nil {
				return &failure{block: b.Index, err: err}
			}
			if !p.isComplete(b) {
				return nil
			}
			if at, err := forest.addBlock(b.Index, acc); err != nil {
				return &failure{at.last(), at.level, err}
			}
			return nil
		}
	}
	if run := p.runBlocks(ranges, longestRun); run > 0 {
		return f.readInParallel(ctx, ranges, run, grow)
	}
	return f.readSerially(ctx, ranges, grow)
}

// failure is an error with its position in a sequential pass: while adding the block, or while
// merging after it, up to a level of the tree.
type failure struct {
	block int64
	level uint8
	err   error
}

// before reports whether a sequential pass meets f before other.
func (f *failure) before(other *failure) bool {
	return other == nil || f.block < other.block || f.block == other.block && f.level < other.level
}

// runResult is the result of one run of blocks.
type runResult struct {
	last   int64 // its last block
	rows   int64
	failed *failure
}

// foldCollector collects the results of runs, on the calling goroutine.
type foldCollector struct {
	pass  *pass
	added func() error
	first *failure // the first one known so far, in data order
}

// collect takes results in the order of the blocks. A failed merge may include later blocks, so a
// failure is final only once all blocks before it are complete.
func (f *foldCollector) collect(o runResult) error {
	if o.failed != nil && o.failed.before(f.first) {
		f.first = o.failed
	}
	if f.first != nil && f.first.block <= o.last {
		return f.first.err
	}
	f.pass.report(o.rows)
	if f.added != nil && f.first == nil {
		return f.added()
	}
	return nil
}

// end returns the error of the pass.
func (f *foldCollector) end(err error) error {
	if f.first != nil {
		err = f.first.err
	}
	rethrow(err)
	return err
}

// readSerially reads all blocks on one goroutine.
func (f *foldCollector) readSerially(ctx context.Context, ranges []blockRange, grow func() func(*Block) *failure) (err error) {
	p := f.pass
	g := p.newBlockReader(p.buffers())
	defer func() { err = withCloseError(err, g.close()) }()
	err = schedule(ctx, p.engine.Workers(), g.produce(ranges), func() func(context.Context, *Block) (runResult, error) {
		add := grow()
		return func(_ context.Context, b *Block) (runResult, error) {
			o := runResult{last: b.Index, rows: int64(b.X.Rows), failed: add(b)}
			g.free <- b
			return o, nil
		}
	}, f.collect, g.close)
	return f.end(err)
}

// readInParallel lets each worker read runs of length blocks and add them.
func (f *foldCollector) readInParallel(ctx context.Context, ranges []blockRange, length int64, grow func() func(*Block) *failure) (err error) {
	p := f.pass
	var all blockReaders
	defer func() { err = withCloseError(err, all.close()) }()
	err = schedule(ctx, p.engine.Workers(), p.runs(ranges, length), func() func(context.Context, blockRange) (runResult, error) {
		add, g := grow(), all.add(p.newBlockReader(1))
		return func(ctx context.Context, run blockRange) (runResult, error) {
			o := runResult{last: run.end - 1}
			err := g.readRun(ctx, run, func(b *Block) bool {
				o.rows += int64(b.X.Rows)
				o.failed = add(b)
				g.free <- b
				return o.failed == nil
			})
			if err != nil && o.failed == nil {
				o.failed = &failure{block: g.index, err: err}
			}
			return o, nil
		}
	}, f.collect, all.close)
	return f.end(err)
}
