package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/opening"
)

// pass holds the parameters of one pass over a source.
type pass struct {
	engine    Engine
	name      string
	src       Source
	info      Info
	blockRows int
	kept      bool // with kept columns
	rowsDone  int64
	opening   opening.Pass // identifies the pass to sources that count passes
}

// newPass returns a pass over a source. It includes the kept columns if the engine requests them or
// if some are categories.
func newPass(e Engine, name string, src Source) *pass {
	info := src.Info()
	p := e.passOf(info, len(info.Columns))
	p.name, p.src, p.kept = name, src, e.kept || hasCategories(info)
	return p
}

// passOf returns the parameters of a pass over rows of dimension d, without a source.
func (e Engine) passOf(info Info, d int) *pass {
	p := &pass{engine: e, info: info, blockRows: e.blockRows(d)}
	if info.Rows >= 0 { // a short source needs smaller blocks
		p.blockRows = int(max(1, min(int64(p.blockRows), info.Rows)))
	}
	return p
}

// report adds rows to the progress of the pass and reports it.
func (p *pass) report(rows int64) {
	p.rowsDone += rows
	p.engine.report(p.name, p.rowsDone, p.info.Rows)
}

// blocks returns the number of blocks. The number of rows must be known.
func (p *pass) blocks() int64 { return (p.info.Rows + int64(p.blockRows) - 1) / int64(p.blockRows) }

// buffers returns the number of blocks in memory: those in flight, and no more than the pass has.
func (p *pass) buffers() int {
	n := p.engine.Workers() + lookahead + 1
	if p.info.Rows >= 0 {
		n = int(max(1, min(int64(n), p.blocks())))
	}
	return n
}

// longestRun is the binary logarithm of the maximal number of blocks that a worker of a fold reads
// in a row. Each level costs one more accumulator per worker.
const longestRun = 3

// runBlocks returns the number of blocks that a worker reads in a row: a power of two up to 2^most,
// or 0 if one goroutine reads for all. A reader that seeks reads up to Info.SeekCost rows in vain.
// Runs are made four times that long, unless the last runs would then keep other workers waiting.
func (p *pass) runBlocks(ranges []blockRange, most int) int64 {
	workers := int64(p.engine.Workers())
	if p.engine.Readers(p.info) == 1 {
		return 0
	}
	blocks := int64(0)
	for _, r := range ranges {
		blocks += max(0, min(r.end, p.blocks())-r.first)
	}
	run, lead := int64(1), p.info.SeekCost
	for run < 1<<most && 4*lead > run*int64(p.blockRows) && blocks/(2*run) >= 4*workers {
		run *= 2
	}
	if blocks < 2 || lead > 1 && !readersWorthwhile(run*int64(p.blockRows), lead, workers) {
		return 0
	}
	return run
}

// readersWorthwhile reports whether several readers are worth the lead rows that each run of run rows
// reads in vain: they add at most a quarter, or the pass is still read four times as fast.
func readersWorthwhile(run, lead, workers int64) bool {
	return 4*lead <= run || 4*(run+lead) <= workers*run
}

// runs yields the ranges, cut at multiples of length. The last run extends to the end of the source
// if the last range does.
func (p *pass) runs(ranges []blockRange, length int64) func(context.Context, func(blockRange) bool) error {
	return func(_ context.Context, yield func(blockRange) bool) error {
		for _, r := range ranges {
			r.end = min(r.end, p.blocks())
			for at := r.first; at < r.end; {
				end := min(r.end, (at/length+1)*length)
				if !yield(blockRange{at, end}) {
					return nil
				}
				at = end
			}
		}
		return nil
	}
}

// blockReader reads blocks of a pass. It has one open reader at a time.
type blockReader struct {
	pass      *pass
	watch     *watch
	free      chan *Block // buffers not in use
	index     int64       // the block being read
	r         Reader      // nil if none is open
	next      int64       // the row that r returns next
	abandoned bool        // the reading goroutine was abandoned, and r with it
	live      bool        // a block ends where the input pauses
}

// newBlockReader returns a reader with the given number of block buffers.
func (p *pass) newBlockReader(blocks int) *blockReader {
	g := &blockReader{pass: p, watch: newWatch(), free: make(chan *Block, blocks)}
	for range blocks {
		g.free <- p.newBlock()
	}
	return g
}

// newBlock allocates a block for rows of the source.
func (p *pass) newBlock() *Block {
	b := &Block{X: matrix.New(p.blockRows, len(p.info.Columns))}
	if p.kept {
		b.Kept = p.info.NewKept()
	}
	return b
}

// close closes the open reader, unless an abandoned goroutine may still use it.
func (g *blockReader) close() error {
	if g.abandoned || g.r == nil {
		return nil
	}
	r := g.r
	g.r = nil
	return r.Close()
}

// blockReaders holds the block readers of all workers.
type blockReaders struct {
	mu   sync.Mutex
	list []*blockReader
}

func (r *blockReaders) add(g *blockReader) *blockReader {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, g)
	return g
}

// close closes all readers. No goroutine may use them any more.
func (r *blockReaders) close() error {
	var failed error
	for _, g := range r.list {
		failed = withCloseError(failed, g.close())
	}
	return failed
}

// withCloseError adds the error of closing a reader to err.
func withCloseError(err, closing error) error {
	if closing == nil {
		return err
	}
	return errors.Join(err, closing)
}

// produce returns a function that reads ranges for all workers.
func (g *blockReader) produce(ranges []blockRange) func(ctx context.Context, yield func(*Block) bool) error {
	return func(ctx context.Context, yield func(*Block) bool) error {
		return g.watched(ctx, func() error { return g.readAll(ctx, ranges, yield) })
	}
}

// readRun reads a run of blocks for one worker, which processes them in yield.
func (g *blockReader) readRun(ctx context.Context, run blockRange, yield func(*Block) bool) error {
	return g.watched(ctx, func() error { return g.readAll(ctx, []blockRange{run}, yield) })
}

// watched runs read on a separate goroutine, so that it can be abandoned: a read of a file that
// stalls, or a read of a pipe after the pass has ended. At the end of a pass, watched does wait for
// a read of a file, which the caller may close or unmap next. It waits a moment for other reads:
// most end with their context.
func (g *blockReader) watched(ctx context.Context, read func() error) error {
	if g.abandoned {
		return errAbandoned
	}
	failed := make(chan error, 1)
	go func() { failed <- recovered(read) }()
	limit := g.pass.engine.stall()
	tick := time.NewTicker(max(1, limit/16))
	defer tick.Stop()
	var over <-chan struct{}
	var late <-chan time.Time
	if g.pass.info.OnePass {
		over = ctx.Done()
	}
	for {
		select {
		case err := <-failed:
			return err
		case <-over:
			timer := time.NewTimer(abandonAfter / 4)
			defer timer.Stop()
			over, late = nil, timer.C
		case <-late:
			if !g.watch.abandon() {
				return <-failed
			}
			g.abandoned = true
			return context.Cause(ctx)
		case <-tick.C:
			if !g.pass.info.OnePass && g.watch.abandonStalled(limit) {
				g.abandoned = true
				return fmt.Errorf("%s: no progress for %v while reading: the file or its disk hangs; where they are as slow as that, set `Engine.Stall` to more", g.pass.info.Name, limit)
			}
		}
	}
}

// readAll reads ranges of blocks. It closes the reader if the pass has abandoned it.
func (g *blockReader) readAll(ctx context.Context, ranges []blockRange, yield func(*Block) bool) error {
	defer func() { // also when the source panics
		if g.watch.isAbandoned() && g.r != nil {
			g.r.Close()
			g.r = nil
		}
	}()
	for _, blocks := range ranges {
		if err := g.readRange(ctx, blocks, yield); err != nil {
			return err
		}
	}
	return nil
}

// readRange reads a range of blocks. After the last block of a source it checks that no rows
// follow.
func (g *blockReader) readRange(ctx context.Context, blocks blockRange, yield func(*Block) bool) error {
	p := g.pass
	if p.info.Rows >= 0 {
		if blocks.first > 0 && blocks.first >= p.blocks() {
			return nil
		}
		if blocks.end >= p.blocks() {
			blocks.end = math.MaxInt64 // to the end, whatever the number of blocks
		}
	}
	g.index = blocks.first
	if err := g.open(ctx, blocks.first*int64(p.blockRows)); err != nil {
		return err
	}
	for ; g.index < blocks.end; g.index++ {
		var b *Block
		select {
		case b = <-g.free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		n, err := g.readBlock(b)
		b.Index, b.Start = g.index, g.next
		g.next += int64(n)
		if p.info.Rows >= 0 && g.next > p.info.Rows {
			return excessError(p.info)
		}
		if n == 0 {
			g.free <- b
		} else if !yield(b) {
			return context.Cause(ctx)
		}
		if err == io.EOF {
			return withCloseError(p.checkTotal(g.next), g.close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open positions the reader at a row. If the pass has abandoned it meanwhile, the new reader is
// closed.
func (g *blockReader) open(ctx context.Context, first int64) error {
	if g.r != nil && g.next == first {
		return nil
	}
	if err := g.close(); err != nil {
		return err
	}
	var r Reader
	var failed error
	err := g.watch.call(func() error {
		r, failed = g.pass.src.Open(g.pass.opening.On(g.watch.withWatch(ctx)), first)
		return failed
	})
	if err != nil {
		if failed == nil && r != nil {
			r.Close()
		}
		return err
	}
	g.r, g.next = &watchedReader{Reader: r, watch: g.watch, name: g.pass.info.Name}, first
	return nil
}

// readBlock fills one block, or a shorter one at the end of the source. In a live pass a block ends
// where the input pauses.
func (g *blockReader) readBlock(b *Block) (n int, err error) {
	b.X.Rows = g.pass.blockRows
	b.batch = Batch{X: b.X, Kept: b.Kept}
	if g.live {
		n, err = readSome(g.r, &b.batch)
	} else {
		n, err = ReadFull(g.r, &b.batch)
	}
	if err == errAbandoned {
		return 0, err // the pass has no use for a partial block
	}
	b.X.Rows = n
	return n, err
}

// isComplete reports whether a block has all its rows. An error, an interruption or an early end of
// the source leaves a partial block.
func (p *pass) isComplete(b *Block) bool {
	return p.info.Rows < 0 || b.X.Rows == p.blockRows || b.Start+int64(b.X.Rows) == p.info.Rows
}

func (p *pass) checkTotal(total int64) error {
	if total < p.info.Rows {
		return promiseError(p.info, total)
	}
	return nil
}
