package stream

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Map reads src once, turns each block of B rows into B rows with cols columns,
// and hands them to emit in row order on the calling goroutine. dst has as many
// rows as the block and holds anything when the worker gets it. The block given
// to emit carries its kept columns when kept is true. Where a source opens in the
// middle at little cost, each worker reads its blocks itself. An engine with Parts reads
// the rows of its part. Where the source is live, a block ends where the input pauses.
func Map(ctx context.Context, e Engine, name string, src Source, cols int, kept bool,
	worker func() func(dst blas64.General, b *Block) error, emit func(b *Block, out blas64.General) error) error {
	e.kept = e.kept || kept
	p := newPass(e, name, src)
	m := &mapping[blas64.General]{pass: p, ranges: []blockRange{e.partBlocks(p.info)}}
	m.makeOuts(p.buffers(), func() blas64.General { return matrix.New(p.blockRows, cols) })
	m.worker = func() func(blas64.General, *Block) error {
		do := worker()
		return func(out blas64.General, b *Block) error { return do(matrix.Rows(out, 0, b.X.Rows), b) }
	}
	m.emit = func(b *Block, out blas64.General) error {
		defer func() { m.outs <- out }()
		return emit(b, matrix.Rows(out, 0, b.X.Rows))
	}
	return m.run(ctx)
}

// mapping hands out what workers make of blocks, a T of each.
type mapping[T any] struct {
	pass   *pass
	ranges []blockRange
	outs   chan T // that nobody uses
	worker func() func(out T, b *Block) error
	emit   func(b *Block, out T) error // sees to it that out gets back to outs
}

// makeOuts makes n results that nobody uses.
func (m *mapping[T]) makeOuts(n int, newOut func() T) {
	m.outs = make(chan T, n)
	for range n {
		m.outs <- newOut()
	}
}

// run makes the pass.
func (m *mapping[T]) run(ctx context.Context) error {
	if m.pass.runBlocks(m.ranges, 0) > 0 {
		return m.inRuns(ctx)
	}
	return m.inTurn(ctx)
}

// mapped is a block and what was made of it.
type mapped[T any] struct {
	block *Block
	out   T
}

// take hands a block to emit and frees its memory.
func (m *mapping[T]) take(d mapped[T], blocks chan<- *Block) error {
	defer func() {
		m.pass.report(int64(d.block.X.Rows))
		blocks <- d.block
	}()
	return m.emit(d.block, d.out)
}

// inTurn lets one goroutine read.
func (m *mapping[T]) inTurn(ctx context.Context) (err error) {
	p := m.pass
	g := p.newBlockReader(p.buffers())
	g.live = p.info.Live
	defer func() { err = alsoClosed(err, g.close()) }()
	return schedule(ctx, p.engine.Workers(), g.produce(m.ranges),
		func() func(context.Context, *Block) (mapped[T], error) {
			do := m.worker()
			return func(_ context.Context, b *Block) (mapped[T], error) {
				out := <-m.outs
				return mapped[T]{b, out}, do(out, b)
			}
		},
		func(d mapped[T]) error { return m.take(d, g.free) }, g.close)
}

// inRuns lets each worker read the blocks that it maps.
func (m *mapping[T]) inRuns(ctx context.Context) (err error) {
	p := m.pass
	blocks := make(chan *Block, p.buffers())
	for range cap(blocks) {
		blocks <- p.newBlock()
	}
	var all blockReaders
	defer func() { err = alsoClosed(err, all.close()) }()
	return schedule(ctx, p.engine.Workers(), p.runs(m.ranges, 1),
		func() func(context.Context, blockRange) (mapped[T], error) {
			do, g := m.worker(), all.add(p.newBlockReader(0))
			g.free = blocks
			return func(ctx context.Context, one blockRange) (d mapped[T], err error) {
				var failed error
				err = g.readRun(ctx, one, func(b *Block) bool {
					d = mapped[T]{b, <-m.outs}
					failed = do(d.out, b)
					return failed == nil
				})
				if failed != nil {
					err = failed
				}
				return d, err
			}
		},
		func(d mapped[T]) error { return m.take(d, blocks) }, all.close)
}
