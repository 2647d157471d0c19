package stream

import (
	"context"
	"testing"
)

// Internals exported for tests.

const Lookahead = lookahead

// Schedule is schedule, for tests of the package's interface.
func Schedule[T, R any](ctx context.Context, threads int, produce func(ctx context.Context, yield func(T) bool) error,
	worker func() func(context.Context, T) (R, error), collect func(R) error) error {
	return schedule(ctx, threads, produce, worker, collect, func() error { return nil })
}

// Produce reads a source like a pass.
func Produce(ctx context.Context, e Engine, src Source, yield func(*Block) bool) error {
	g := newPass(e, "", src).newBlockReader(e.Workers() + lookahead + 1)
	err := g.produce(allBlocks)(ctx, func(b *Block) bool {
		defer func() { g.free <- b }()
		return yield(b)
	})
	return withCloseError(err, g.close())
}

// SetMaxEmpty lowers the limit on empty reads for one test.
func SetMaxEmpty(t *testing.T, reads int) {
	before := maxEmpty
	maxEmpty = reads
	t.Cleanup(func() { maxEmpty = before })
}

// SetFolds makes the next fold of a run number n+1.
func SetFolds(r *Run, n int) { r.folds = n }

// CutBlocks returns the first block of a part and the block after its last.
func CutBlocks(blocks int64, part, parts int) (first, end int64) {
	r := cutBlocks(blocks, part, parts)
	return r.first, r.end
}

// WithWide returns an engine whose wide folds have leaves and blocks of the given numbers of rows.
// leaf is a multiple of block.
func WithWide(e Engine, leaf, block int) Engine {
	e.wide = wideSizes{leaf, block}
	return e
}
