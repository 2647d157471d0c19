package stream

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Map reads src once, turns each block of B rows into B rows with cols columns, and passes them to
// emit in row order on the calling goroutine. The worker gets a dst of as many rows as the block,
// with undefined contents. The block given to emit carries its kept columns if kept is true. If
// seeking is cheap, each worker reads its blocks itself. An engine with Parts reads only the rows
// of its part. If the source is live, a block ends where the input pauses.
func Map(ctx context.Context, e Engine, name string, src Source, cols int, kept bool,
	worker func() func(dst blas64.General, b *Block) error, emit func(b *Block, out blas64.General) error) error {
	e.kept = e.kept || kept
	p := newPass(e, name, src)
	m := &mapRun[blas64.General]{pass: p, ranges: []blockRange{e.partBlocks(p.info)}}
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

// mapRun is a pass that turns each block into a T.
type mapRun[T any] struct {
	pass   *pass
	ranges []blockRange
	outs   chan T // results not in use
	worker func() func(out T, b *Block) error
	emit   func(b *Block, out T) error // returns out to outs when done
}

// makeOuts allocates n results.
func (m *mapRun[T]) makeOuts(n int, newOut func() T) {
	m.outs = make(chan T, n)
	for range n {
		m.outs <- newOut()
	}
}

// run runs the pass.
func (m *mapRun[T]) run(ctx context.Context) error {
	if m.pass.runBlocks(m.ranges, 0) > 0 {
		return m.readInParallel(ctx)
	}
	return m.readSerially(ctx)
}

// mappedBlock is a block with its result.
type mappedBlock[T any] struct {
	block *Block
	out   T
}

// emitBlock passes a block to emit and releases its memory.
func (m *mapRun[T]) emitBlock(d mappedBlock[T], blocks chan<- *Block) error {
	defer func() {
		m.pass.report(int64(d.block.X.Rows))
		blocks <- d.block
	}()
	return m.emit(d.block, d.out)
}

// readSerially reads all blocks on one goroutine.
func (m *mapRun[T]) readSerially(ctx context.Context) (err error) {
	p := m.pass
	g := p.newBlockReader(p.buffers())
	g.live = p.info.Live
	defer func() { err = withCloseError(err, g.close()) }()
	return schedule(ctx, p.engine.Workers(), g.produce(m.ranges),
		func() func(context.Context, *Block) (mappedBlock[T], error) {
			do := m.worker()
			return func(_ context.Context, b *Block) (mappedBlock[T], error) {
				out := <-m.outs
				return mappedBlock[T]{b, out}, do(out, b)
			}
		},
		func(d mappedBlock[T]) error { return m.emitBlock(d, g.free) }, g.close)
}

// readInParallel lets each worker read the blocks that it maps.
func (m *mapRun[T]) readInParallel(ctx context.Context) (err error) {
	p := m.pass
	blocks := make(chan *Block, p.buffers())
	for range cap(blocks) {
		blocks <- p.newBlock()
	}
	var all blockReaders
	defer func() { err = withCloseError(err, all.close()) }()
	return schedule(ctx, p.engine.Workers(), p.runs(m.ranges, 1),
		func() func(context.Context, blockRange) (mappedBlock[T], error) {
			do, g := m.worker(), all.add(p.newBlockReader(0))
			g.free = blocks
			return func(ctx context.Context, one blockRange) (d mappedBlock[T], err error) {
				var failed error
				err = g.readRun(ctx, one, func(b *Block) bool {
					d = mappedBlock[T]{b, <-m.outs}
					failed = do(d.out, b)
					return failed == nil
				})
				if failed != nil {
					err = failed
				}
				return d, err
			}
		},
		func(d mappedBlock[T]) error { return m.emitBlock(d, blocks) }, all.close)
}
