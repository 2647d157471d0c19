package stream

import (
	"container/heap"
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream/tilesize"
)

// Exact passes visit tiles of row blocks against column blocks, in O(n²) time and no more memory
// than the accumulators of the caller. Tiles are ordered in rounds. In round r the row block i
// meets the column block (i+r) mod b, so that no block occurs twice within a round. A tile may be
// visited once the earlier tiles of its row block and of its column block are done. So a visitor
// may update one accumulator per row block and one per column block without locks. The order of
// these updates is the same for any number of threads, and so is every bit of the sums. Tiles do
// not wait for the rest of a round. The first ⌊b/2⌋+1 rounds visit the upper half of a symmetric
// matrix.
//
// After a tile, a worker prefers the next one of the same column block if it is ready: the visitor
// may reuse what it computed for that block.

// Pairs visits the tiles of rows × cols. visit is called once per worker and returns the function
// that visits a tile. The two blocks may be memory of the source, and the function must not change
// them. Concurrent calls never share a row block or a column block. Calls with the same row block
// follow one another in a fixed order, and so do calls with the same column block. If upper is
// true, rows and cols must be the same source, and only tiles of the upper half are visited; a
// block may then be the row block of one call and the column block of another at the same time. If
// several tiles fail, the error of the earliest round is returned.
func Pairs(ctx context.Context, e Engine, name string, rows, cols Gatherer, upper bool, visit func() func(i, j *Block) error) error {
	bi, bj := pairBlocks(rows), pairBlocks(cols)
	if upper && bi != bj {
		panic("stream: the upper half of pairs of two different sources")
	}
	if min(bi, bj) == 0 {
		return nil
	}
	p := &pairPass{rows: rows, cols: cols, order: newTileOrder(bi, bj, upper), events: make(chan struct{}, e.Workers())}
	p.wake.L = &p.mu
	return p.run(ctx, e, name, visit)
}

func pairBlocks(s Source) int64 {
	n := s.Info().Rows
	if n < 0 {
		panic(fmt.Sprintf("stream: pairs of %s, whose number of rows is unknown", s.Info().Name))
	}
	return (n + tilesize.PairRows - 1) / tilesize.PairRows
}

// pairPass assigns tiles to workers.
type pairPass struct {
	rows, cols Gatherer
	events     chan struct{} // one per tile done, for the goroutine that runs the pass

	mu             sync.Mutex
	wake           sync.Cond
	order          *tileOrder
	busy           int  // tiles in progress
	stopped        bool // no further tile starts
	failed         error
	failedPosition int64 // position of the failed tile
}

// run visits all tiles. It reports progress, and raises panics of visitors, on the calling
// goroutine.
func (p *pairPass) run(ctx context.Context, e Engine, name string, visit func() func(i, j *Block) error) error {
	var wg sync.WaitGroup
	inner, cancel := context.WithCancel(ctx)
	defer wg.Wait()
	defer cancel()
	for range e.Workers() {
		wg.Go(func() { p.work(inner, visit) })
	}
	go func() {
		wg.Wait()
		close(p.events)
	}()
	done, over := int64(0), ctx.Done()
	for {
		select {
		case _, ok := <-p.events:
			if !ok {
				if p.failed == nil && done < p.order.tiles() {
					return context.Cause(ctx)
				}
				rethrow(p.failed)
				return p.failed
			}
			done++
			e.report(name, done, p.order.tiles())
		case <-over:
			over = nil
			p.stop()
		}
	}
}

// stop prevents further tiles from starting.
func (p *pairPass) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.wake.Broadcast()
}

// work visits tiles until none is left.
func (p *pairPass) work(ctx context.Context, visit func() func(i, j *Block) error) {
	left, right := newPairBlock(p.rows), newPairBlock(p.cols)
	var do func(i, j *Block) error
	t, ok := p.next()
	for ok {
		i, j := p.order.blocks(t)
		err := recovered(func() error {
			if do == nil {
				do = visit()
			}
			if err := left.fetch(ctx, i); err != nil {
				return err
			}
			if err := right.fetch(ctx, j); err != nil {
				return err
			}
			return do(&left.block, &right.block)
		})
		if err == nil {
			select {
			case p.events <- struct{}{}:
			case <-ctx.Done():
			}
		}
		t, ok = p.nextAfter(t, err)
	}
}

// next waits for a tile that is ready. It reports false if no tile is left.
func (p *pairPass) next() (tile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nextTile()
}

// nextAfter is next for a worker that has done a tile.
func (p *pairPass) nextAfter(t tile, err error) (tile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	if err != nil {
		if place := p.order.position(t); p.failed == nil || place < p.failedPosition {
			p.failed, p.failedPosition = err, place
		}
		p.wake.Broadcast()
		return p.nextTile()
	}
	beside, ok := p.order.done(t)
	p.wake.Broadcast()
	if ok && p.isPending(beside) {
		p.busy++
		return beside, true
	}
	if ok {
		p.order.push(beside)
	}
	return p.nextTile()
}

// isPending reports whether a tile is still to be visited. After a failure, tiles before the failed
// one still are: they may fail too, and earlier errors win.
func (p *pairPass) isPending(t tile) bool {
	return !p.stopped && (p.failed == nil || p.order.position(t) < p.failedPosition)
}

func (p *pairPass) nextTile() (tile, bool) {
	for {
		if t, ok := p.order.first(); ok && p.isPending(t) {
			p.order.pop()
			p.busy++
			return t, true
		}
		if p.busy == 0 || p.stopped {
			p.wake.Broadcast()
			return tile{}, false
		}
		p.wake.Wait()
	}
}

// tile is the tile of block k on the side with fewer blocks and block (k+round) mod b on the other
// side, of b blocks.
type tile struct{ round, k int64 }

// tileOrder tracks which tiles are ready: those whose predecessors are done.
type tileOrder struct {
	short, long int64 // numbers of blocks
	rounds      int64
	swapped     bool    // the row blocks are the longer side
	upper       bool    // only the upper half is visited
	nextRound   []int64 // for each short block, the round of its next tile
	nextShort   []int64 // for each long block, the short block of its next tile, or -1
	ready       tileHeap
}

func newTileOrder(bi, bj int64, upper bool) *tileOrder {
	o := &tileOrder{short: min(bi, bj), long: max(bi, bj), swapped: bi > bj, upper: upper}
	o.rounds = o.long
	if o.upper {
		o.rounds = o.long/2 + 1
	}
	o.nextRound, o.nextShort = make([]int64, o.short), make([]int64, o.long)
	for l := range o.nextShort {
		o.nextShort[l] = min(int64(l), o.short-1)
	}
	for k := range o.short {
		o.ready = append(o.ready, tile{0, k})
	}
	return o
}

// tiles returns the number of tiles.
func (o *tileOrder) tiles() int64 {
	if o.upper {
		return o.long * (o.long + 1) / 2
	}
	return o.short * o.long
}

// position returns the index of a tile in the order of rounds.
func (o *tileOrder) position(t tile) int64 { return t.round*o.short + t.k }

// blocks returns the row block and the column block of a tile.
func (o *tileOrder) blocks(t tile) (row, col int64) {
	l := (t.k + t.round) % o.long
	if o.swapped {
		return l, t.k
	}
	return t.k, l
}

// exists reports whether the pass includes a tile. For an even number of blocks, half of the last
// round is omitted: it would visit each pair twice.
func (o *tileOrder) exists(t tile) bool {
	return t.round < o.rounds && !(o.upper && 2*t.round == o.long && t.k >= t.round)
}

// isReady reports whether a tile is the next one of both its blocks.
func (o *tileOrder) isReady(t tile) bool {
	return o.exists(t) && o.nextRound[t.k] == t.round && o.nextShort[(t.k+t.round)%o.long] == t.k
}

// done records that a tile was visited. It returns the next tile of the same column block, if it is
// ready, and pushes the next tile of the row block.
func (o *tileOrder) done(t tile) (beside tile, ok bool) {
	along := tile{t.round + 1, t.k}      // the same short block
	across := tile{t.round + 1, t.k - 1} // the same long block
	if t.k == 0 {
		across = tile{t.round + 1 + o.long - o.short, o.short - 1}
	}
	o.nextRound[t.k]++
	l := (t.k + t.round) % o.long
	o.nextShort[l] = -1
	if o.exists(across) {
		o.nextShort[l] = across.k
	}
	beside, other := across, along
	if o.swapped {
		beside, other = along, across
	}
	ok = o.isReady(beside)
	if other != beside && o.isReady(other) {
		o.push(other)
	}
	return beside, ok
}

func (o *tileOrder) push(t tile) { heap.Push(&o.ready, t) }
func (o *tileOrder) pop()        { heap.Pop(&o.ready) }

// first removes and returns the ready tile that is first in the order of rounds.
func (o *tileOrder) first() (tile, bool) {
	if len(o.ready) == 0 {
		return tile{}, false
	}
	return o.ready[0], true
}

// tileHeap is a heap of tiles in the order of rounds.
type tileHeap []tile

func (h tileHeap) Len() int      { return len(h) }
func (h tileHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *tileHeap) Push(t any)   { *h = append(*h, t.(tile)) }
func (h tileHeap) Less(i, j int) bool {
	return h[i].round < h[j].round || h[i].round == h[j].round && h[i].k < h[j].k
}

func (h *tileHeap) Pop() any {
	t := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return t
}

// pairBlock is the buffer for blocks of one side of an exact pass.
type pairBlock struct {
	src    Gatherer
	n      int64
	loaded int64 // index of the block in the buffer, or -1
	room   blas64.General
	block  Block
}

func newPairBlock(src Gatherer) *pairBlock {
	return &pairBlock{src: src, n: src.Info().Rows, loaded: -1}
}

// rowsInMemory is implemented by sources that lend their rows without copying.
type rowsInMemory interface {
	lend(first int64, n int) blas64.General
}

// fetch loads the block with the given index, unless it is in the buffer.
func (b *pairBlock) fetch(ctx context.Context, index int64) error {
	if index == b.loaded {
		return nil
	}
	first := index * tilesize.PairRows
	n := int(min(tilesize.PairRows, b.n-first))
	b.block.Index, b.block.Start, b.loaded = index, first, index
	if m, ok := b.src.(rowsInMemory); ok {
		b.block.X = m.lend(first, n)
		return nil
	}
	if b.room.Rows == 0 {
		b.room = matrix.New(tilesize.PairRows, len(b.src.Info().Columns))
	}
	b.block.X = matrix.Rows(b.room, 0, n)
	b.loaded = -1
	err := b.gather(ctx, first)
	if err == nil {
		b.loaded = index
	}
	return err
}

// gather reads the rows of the block.
func (b *pairBlock) gather(ctx context.Context, first int64) error {
	if b.src.Info().SeekCost > 0 {
		_, err := ReadRows(ctx, b.src, first, &Batch{X: b.block.X})
		return err
	}
	rows := matrix.Numbers(b.block.X.Rows)
	for i := range rows {
		rows[i] += first
	}
	return b.src.Gather(ctx, rows, &Batch{X: b.block.X})
}
