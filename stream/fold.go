package stream

import "context"

// Fold reads src once and folds its blocks into one accumulator. newAcc makes
// an empty accumulator; worker is called once per worker and returns the
// function that adds a block to an empty accumulator, and may own scratch
// memory. Accumulators are merged in the fixed tree of [Forest], so the result
// does not depend on the number of threads. name names the pass in progress
// reports. An engine with a [Run] may answer the pass from states: then no worker is
// called, so the accumulator must hold all that a pass over rows that are not in memory
// leaves.
func Fold[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, newAcc func() A, worker func() func(acc A, b *Block) error) (A, error) {
	return foldBy(ctx, e, name, src, newAcc, func(ctx context.Context, e Engine, forest *Forest[A], ranges []blockRange, added func() error) error {
		return foldBlocks(ctx, e, name, src, forest, ranges, worker, added)
	})
}

// foldBy returns the accumulator of all blocks of a source, with states if the engine keeps them.
func foldBy[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, newAcc func() A, fold folder[A]) (A, error) {
	if e.Run.keeps(src.Info()) {
		defer keeping(ctx)()
		return foldKept(ctx, e, name, src, newAcc, fold)
	}
	return foldWhole(ctx, e, newAcc, fold)
}
