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

// pass reads blocks of one source.
type pass struct {
	engine    Engine
	name      string
	src       Source
	info      Info
	blockRows int
	kept      bool // with kept columns
	rowsDone  int64
	opening   opening.Pass // what sources that count know of it
}

// newPass describes a pass with the kept columns of a source if the engine says so, or if some of them
// are categories.
func newPass(e Engine, name string, src Source) *pass {
	info := src.Info()
	p := e.passOf(info, len(info.Columns))
	p.name, p.src, p.kept = name, src, e.kept || hasCategories(info)
	return p
}

// passOf returns a pass over rows of dimension d that reads nothing.
func (e Engine) passOf(info Info, d int) *pass {
	p := &pass{engine: e, info: info, blockRows: e.blockRows(d)}
	if info.Rows >= 0 { // a short source needs no full block
		p.blockRows = int(max(1, min(int64(p.blockRows), info.Rows)))
	}
	return p
}

// report reports progress: so many more rows are done.
func (p *pass) report(rows int64) {
	p.rowsDone += rows
	p.engine.report(p.name, p.rowsDone, p.info.Rows)
}

// blocks returns the number of blocks, if that of the rows is known.
func (p *pass) blocks() int64 { return (p.info.Rows + int64(p.blockRows) - 1) / int64(p.blockRows) }

// buffers returns how many blocks are in memory: those under way, but no more than there are.
func (p *pass) buffers() int {
	n := p.engine.Workers() + lookahead + 1
	if p.info.Rows >= 0 {
		n = int(max(1, min(int64(n), p.blocks())))
	}
	return n
}

// longestRun is the most blocks, as a power of two, that a worker of a fold reads at a
// time: while it does, it holds an accumulator more for each power.
const longestRun = 3

// runBlocks returns how many blocks a worker reads in a row: a power of two up to
// 2^most, or 0 if one goroutine is to read for all. A reader that begins in the middle
// passes over up to Info.SeekCost rows: runs are made four times that long, but
// not so long that the last one keeps the others waiting.
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
	if blocks < 2 || lead > 1 && !readersPay(run*int64(p.blockRows), lead, workers) {
		return 0
	}
	return run
}

// readersPay reports whether several readers, which pass over up to lead rows before each run of so many rows, are
// worth what they read again: at most a quarter, or so little that the pass is read four times as fast.
func readersPay(run, lead, workers int64) bool {
	return 4*lead <= run || 4*(run+lead) <= workers*run
}

// runs yields the ranges, cut at multiples of length. The last goes on to the end of the
// source if the last range does.
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

// blockReader is one reader at a time of the source of a pass, and the blocks it fills.
type blockReader struct {
	pass  *pass
	watch *watch
	free  chan *Block // buffers nobody uses
	index int64       // the block that is read
	r     Reader      // nil if none is open
	next  int64       // the row that r gives next
	lost  bool        // the goroutine that reads was given up, with r
	live  bool        // a block ends where the input pauses
}

// newBlockReader makes a block reader with so many blocks.
func (p *pass) newBlockReader(blocks int) *blockReader {
	g := &blockReader{pass: p, watch: newWatch(), free: make(chan *Block, blocks)}
	for range blocks {
		g.free <- p.newBlock()
	}
	return g
}

// newBlock makes a block for the rows of the source.
func (p *pass) newBlock() *Block {
	b := &Block{X: matrix.New(p.blockRows, len(p.info.Columns))}
	if p.kept {
		b.Kept = p.info.NewKept()
	}
	return b
}

// close closes the reader, unless it is still being read from.
func (g *blockReader) close() error {
	if g.lost || g.r == nil {
		return nil
	}
	r := g.r
	g.r = nil
	return r.Close()
}

// blockReaders are those of all workers.
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

// close closes the readers, which nobody uses any more.
func (r *blockReaders) close() error {
	var failed error
	for _, g := range r.list {
		failed = alsoClosed(failed, g.close())
	}
	return failed
}

// alsoClosed is err with what went wrong when a reader was closed.
func alsoClosed(err, closing error) error {
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

// readRun reads blocks for a worker, which does its work in yield.
func (g *blockReader) readRun(ctx context.Context, run blockRange, yield func(*Block) bool) error {
	return g.watched(ctx, func() error { return g.readAll(ctx, []blockRange{run}, yield) })
}

// watched reads on a goroutine of its own, so that a read that never returns can be
// given up: a read of a file that stalls, and a read of a pipe when the pass is over.
// The end of a pass does wait for a read of a file, which the caller may want to close
// or unmap next, and for a moment for other reads: most end with their context.
func (g *blockReader) watched(ctx context.Context, read func() error) error {
	if g.lost {
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
			timer := time.NewTimer(leaveAfter / 4)
			defer timer.Stop()
			over, late = nil, timer.C
		case <-late:
			if !g.watch.forbid() {
				return <-failed
			}
			g.lost = true
			return context.Cause(ctx)
		case <-tick.C:
			if !g.pass.info.OnePass && g.watch.giveUp(limit) {
				g.lost = true
				return fmt.Errorf("%s: no progress for %v while reading: the file or its disk hangs; where they are as slow as that, set `Engine.Stall` to more", g.pass.info.Name, limit)
			}
		}
	}
}

// readAll reads ranges. It closes the reader if the pass has given it up.
func (g *blockReader) readAll(ctx context.Context, ranges []blockRange, yield func(*Block) bool) error {
	defer func() { // also when the source panics
		if g.watch.isOver() && g.r != nil {
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

// readRange reads some blocks. After the last block of a source it makes sure that no
// rows follow.
func (g *blockReader) readRange(ctx context.Context, blocks blockRange, yield func(*Block) bool) error {
	p := g.pass
	if p.info.Rows >= 0 {
		if blocks.first > 0 && blocks.first >= p.blocks() {
			return nil
		}
		if blocks.end >= p.blocks() {
			blocks.end = math.MaxInt64 // to the end, whatever is there
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
			return alsoClosed(p.checkTotal(g.next), g.close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open makes sure that the reader is at a row. A reader that comes after the pass has
// given up is closed.
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
		r, failed = g.pass.src.Open(g.pass.opening.On(g.watch.on(ctx)), first)
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

// readBlock fills one block, or what is left of the source. A live block ends where the input pauses.
func (g *blockReader) readBlock(b *Block) (n int, err error) {
	b.X.Rows = g.pass.blockRows
	b.batch = Batch{X: b.X, Kept: b.Kept}
	if g.live {
		n, err = readSome(g.r, &b.batch)
	} else {
		n, err = ReadFull(g.r, &b.batch)
	}
	if err == errAbandoned {
		return 0, err // nobody is there to take the first rows of the block
	}
	b.X.Rows = n
	return n, err
}

// complete reports whether a block has all its rows. Reading may end within one: by an
// error, by an interruption, or too early.
func (p *pass) complete(b *Block) bool {
	return p.info.Rows < 0 || b.X.Rows == p.blockRows || b.Start+int64(b.X.Rows) == p.info.Rows
}

func (p *pass) checkTotal(total int64) error {
	if total < p.info.Rows {
		return promiseError(p.info, total)
	}
	return nil
}
