package stream

import "context"

// Fold reads src once and folds its blocks into one accumulator. newAcc returns an empty
// accumulator. worker is called once per worker and returns the function that adds a block to an
// empty accumulator; it may own scratch memory. Accumulators are merged in the fixed tree of
// [Forest], so the result does not depend on the number of threads. name identifies the pass in
// progress reports. With an Engine.Run the result may come from stored states without any worker
// being called, so the accumulator must hold everything that the pass computes.
func Fold[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, newAcc func() A, worker func() func(acc A, b *Block) error) (A, error) {
	return foldBy(ctx, e, name, src, newAcc, func(ctx context.Context, e Engine, forest *Forest[A], ranges []blockRange, added func() error) error {
		return foldBlocks(ctx, e, name, src, forest, ranges, worker, added)
	})
}

// foldBy returns the accumulator of all blocks of a source, with checkpoints if the engine has a
// run.
func foldBy[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, newAcc func() A, fold folder[A]) (A, error) {
	if e.Run.keepsStates(src.Info()) {
		defer registerFold(ctx)()
		return foldCheckpointed(ctx, e, name, src, newAcc, fold)
	}
	return foldWhole(ctx, e, newAcc, fold)
}
