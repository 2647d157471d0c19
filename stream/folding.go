package stream

import "context"

// folder adds blocks to a forest, as [foldBlocks] does.
type folder[A Accumulator[A]] func(ctx context.Context, e Engine, forest *Forest[A], ranges []blockRange, added func() error) error

// foldWhole returns [foldBy] without states.
func foldWhole[A Accumulator[A]](ctx context.Context, e Engine, newAcc func() A, fold folder[A]) (A, error) {
	var none A
	forest := NewForest(newAcc)
	if err := fold(ctx, e, forest, allBlocks, nil); err != nil {
		return none, err
	}
	return forest.Finish(forest.Blocks())
}

// foldBlocks does the part of a [Fold] that are the blocks in ranges, which ascend and
// do not overlap: it adds them to forest, which has none of them, and reads no rows but
// theirs. Ranges may reach beyond the last block. added, if not nil, is called after
// each block, or few, on the calling goroutine; the forest may then be written down.
// After an error the forest holds blocks before it and perhaps after it, complete ones;
// it may be written down unless a merge failed, which loses blocks.
//
// No stage of it is serial. Where a source opens in the middle at little cost, each
// worker reads runs of blocks with a reader of its own; otherwise one goroutine reads.
// Accumulators are merged by the worker that made the second of two siblings.
func foldBlocks[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, forest *Forest[A], ranges []blockRange,
	worker func() func(acc A, b *Block) error, added func() error) error {
	accs := newSpares(forest.newAcc, 2*(e.Workers()+lookahead))
	forest.spent = accs.put
	p := newPass(e, name, src)
	f := &folding{pass: p, added: added}
	grow := func() func(*Block) *failure {
		add := worker()
		return func(b *Block) *failure {
			acc := accs.get()
			if err := add(acc, b); err != nil {
				return &failure{block: b.Index, err: err}
			}
			if !p.complete(b) {
				return nil
			}
			if at, err := forest.grow(b.Index, acc); err != nil {
				return &failure{at.last(), at.level, err}
			}
			return nil
		}
	}
	if run := p.runBlocks(ranges, longestRun); run > 0 {
		return f.inRuns(ctx, ranges, run, grow)
	}
	return f.inTurn(ctx, ranges, grow)
}

// failure is an error and where in the order of a plain pass it belongs: after the
// blocks before block were added, and after block was, up to a level of the tree.
type failure struct {
	block int64
	level uint8
	err   error
}

// before reports whether a plain pass meets f before other.
func (f *failure) before(other *failure) bool {
	return other == nil || f.block < other.block || f.block == other.block && f.level < other.level
}

// outcome is what became of a run of blocks.
type outcome struct {
	last   int64 // its last block
	rows   int64
	failed *failure
}

// folding collects the outcomes of a fold.
type folding struct {
	pass  *pass
	added func() error
	first *failure // of those known
}

// collect takes the outcomes in the order of the blocks. A merge may fail that includes
// later blocks: the failure is the first once all blocks before it are through.
func (f *folding) collect(o outcome) error {
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
func (f *folding) end(err error) error {
	if f.first != nil {
		err = f.first.err
	}
	rethrow(err)
	return err
}

// inTurn lets one goroutine read.
func (f *folding) inTurn(ctx context.Context, ranges []blockRange, grow func() func(*Block) *failure) (err error) {
	p := f.pass
	g := p.newBlockReader(p.buffers())
	defer func() { err = alsoClosed(err, g.close()) }()
	err = schedule(ctx, p.engine.Workers(), g.produce(ranges), func() func(context.Context, *Block) (outcome, error) {
		add := grow()
		return func(_ context.Context, b *Block) (outcome, error) {
			o := outcome{last: b.Index, rows: int64(b.X.Rows), failed: add(b)}
			g.free <- b
			return o, nil
		}
	}, f.collect, g.close)
	return f.end(err)
}

// inRuns lets each worker read runs of so many blocks, and add them.
func (f *folding) inRuns(ctx context.Context, ranges []blockRange, length int64, grow func() func(*Block) *failure) (err error) {
	p := f.pass
	var all blockReaders
	defer func() { err = alsoClosed(err, all.close()) }()
	err = schedule(ctx, p.engine.Workers(), p.runs(ranges, length), func() func(context.Context, blockRange) (outcome, error) {
		add, g := grow(), all.add(p.newBlockReader(1))
		return func(ctx context.Context, run blockRange) (outcome, error) {
			o := outcome{last: run.end - 1}
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
