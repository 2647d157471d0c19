package stream

import (
	"context"
	"slices"
	"time"
)

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

// foldKept returns [foldBy] for an engine with a run.
func foldKept[A Accumulator[A]](ctx context.Context, e Engine, pass string, src Source, newAcc func() A, fold folder[A]) (A, error) {
	var none A
	o := e.Run.options
	key, err := newKey(ctx, e, pass, src, newAcc())
	if err != nil {
		if o.Parts > 0 || o.Finish {
			return none, err
		}
		// A pass over all rows meets the first error in data order. If it meets none, this
		// fold has no number, and so have no later ones.
		all, failed := foldWhole(ctx, e, newAcc, fold)
		if failed == nil {
			e.Run.stop(err)
		}
		return all, failed
	}
	f := &keptFold[A]{run: e.Run, key: key, newAcc: newAcc, name: stateName(key.Fold, pass, o.Part, o.Parts), spoiled: make(map[string]*StateError), last: time.Now()}
	if err := f.take(); err != nil {
		return none, err
	}
	if o.Join {
		last, err := f.isLast()
		if err == nil && last {
			err = f.join()
		}
		if err != nil {
			return none, err
		}
	}
	if o.Runner != nil {
		if err := f.ask(ctx, o.Runner); err != nil {
			return none, err
		}
	}
	if o.Ignored != nil {
		for _, state := range slices.Concat(f.unused, f.obsolete) {
			o.Ignored(state)
		}
	}
	if seen := f.seen(); seen > 0 && o.Resumed != nil {
		o.Resumed(pass, seen, key.Rows)
	}
	if len(f.gaps()) > 0 {
		if err := f.fold(ctx, e, fold); err != nil {
			return none, err
		}
	}
	return f.finish()
}
