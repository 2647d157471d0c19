package stream

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
)

// Map reads src once, turns each block of B rows into B rows with cols columns,
// and hands them to emit in row order on the calling goroutine. dst has as many
// rows as the block and holds anything when the worker gets it. The block given
// to emit carries its kept columns when kept is true. Where a source opens in the
// middle at little cost, each worker reads its blocks itself. An engine with Parts reads
// the rows of its part.
func Map(ctx context.Context, e Engine, name string, src Source, cols int, kept bool,
	worker func() func(dst blas64.General, b *Block) error, emit func(b *Block, out blas64.General) error) error {
	p := newPass(e, name, src, kept)
	m := &mapping{pass: p, ranges: []blockRange{e.partBlocks(p.info)}, cols: cols, emit: emit}
	if run := p.runBlocks(m.ranges, 0); run > 0 {
		return m.inRuns(ctx, worker)
	}
	return m.inTurn(ctx, worker)
}

// mapping hands out what a [Map] makes.
type mapping struct {
	pass   *pass
	ranges []blockRange
	cols   int
	emit   func(b *Block, out blas64.General) error
}

// mapped is a block and what was made of it.
type mapped struct {
	block *Block
	out   blas64.General
}

// take hands a block to emit and frees its memory.
func (m *mapping) take(d mapped, blocks chan<- *Block, outs chan<- blas64.General) error {
	defer func() {
		m.pass.report(int64(d.block.X.Rows))
		blocks <- d.block
		outs <- d.out
	}()
	return m.emit(d.block, RowSlice(d.out, 0, d.block.X.Rows))
}

// newOuts makes room for what becomes of so many blocks.
func (m *mapping) newOuts(n int) chan blas64.General {
	outs := make(chan blas64.General, n)
	for range n {
		outs <- NewMatrix(m.pass.blockRows, m.cols)
	}
	return outs
}

// inTurn lets one goroutine read.
func (m *mapping) inTurn(ctx context.Context, worker func() func(dst blas64.General, b *Block) error) (err error) {
	p := m.pass
	g := p.newReading(p.buffers())
	outs := m.newOuts(cap(g.free))
	defer func() { err = alsoClosed(err, g.close()) }()
	return schedule(asOnePass(ctx), p.engine.Workers(), g.produce(m.ranges),
		func() func(context.Context, *Block) (mapped, error) {
			do := worker()
			return func(_ context.Context, b *Block) (mapped, error) {
				out := <-outs
				return mapped{b, out}, do(RowSlice(out, 0, b.X.Rows), b)
			}
		},
		func(d mapped) error { return m.take(d, g.free, outs) }, g.close)
}

// inRuns lets each worker read the blocks that it maps.
func (m *mapping) inRuns(ctx context.Context, worker func() func(dst blas64.General, b *Block) error) (err error) {
	p := m.pass
	blocks := make(chan *Block, p.buffers())
	for range cap(blocks) {
		blocks <- p.newBlock()
	}
	outs := m.newOuts(cap(blocks))
	var all readings
	defer func() { err = alsoClosed(err, all.close()) }()
	return schedule(asOnePass(ctx), p.engine.Workers(), p.runs(m.ranges, 1),
		func() func(context.Context, blockRange) (mapped, error) {
			do, g := worker(), all.add(p.newReading(0))
			g.free = blocks
			return func(ctx context.Context, one blockRange) (d mapped, err error) {
				var failed error
				err = g.readRun(ctx, one, func(b *Block) bool {
					d = mapped{b, <-outs}
					failed = do(RowSlice(d.out, 0, b.X.Rows), b)
					return failed == nil
				})
				if failed != nil {
					err = failed
				}
				return d, err
			}
		},
		func(d mapped) error { return m.take(d, blocks, outs) }, all.close)
}
