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

// Exact passes visit tiles of row blocks against column blocks: O(n²) time, and
// no more memory than the caller's accumulators. Tiles have an order of rounds.
// In round r the row block i meets the column block (i+r) mod b, so that within
// a round no row block and no column block occurs twice. A tile may be visited
// as soon as the tiles before it with the same row block, and those with the same
// column block, are done: the visitor may update one accumulator per row block and
// another per column block without locks, and the order of the updates of each, and
// with it every bit of the sums, is the same for any number of threads. No tile
// waits for others of its round. The upper half of a symmetric matrix is what the
// first ⌊b/2⌋+1 rounds visit.
//
// A worker goes on in the column of the tile it has done, if the next one there is
// ready: what a visitor has made of that column block, it need not make again.

// Pairs visits the tiles of rows × cols. visit is called once per worker and
// returns the function that visits a tile, given its row and its column block, which
// it must not change: they may be the memory of the source. Two calls that may run at
// the same time never share a row block, nor a column block; calls with the same row
// block follow one another in a fixed order, and so do those with the same column
// block. With shape Upper, rows and cols must be the same source, and a row block may
// at the same time be the column block of another call. Of several errors the one in
// the first round is returned.
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

// pairPass hands out tiles to workers.
type pairPass struct {
	rows, cols Gatherer
	events     chan struct{} // one after each tile, for the goroutine that runs the pass

	mu      sync.Mutex
	wake    sync.Cond
	order   *tileOrder
	busy    int  // tiles under way
	stopped bool // no further tile is begun
	failed  error
	worst   int64 // place of the tile that failed
}

// run visits all tiles. Events and panics arrive on the calling goroutine.
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

// stop lets no further tile begin.
func (p *pairPass) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.wake.Broadcast()
}

// work visits tiles as long as there are any.
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
		t, ok = p.after(t, err)
	}
}

// next waits for a tile that may be visited, and reports whether there is one.
func (p *pairPass) next() (tile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nextTile()
}

// after is next for a worker that has done a tile.
func (p *pairPass) after(t tile, err error) (tile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	if err != nil {
		if place := p.order.place(t); p.failed == nil || place < p.worst {
			p.failed, p.worst = err, place
		}
		p.wake.Broadcast()
		return p.nextTile()
	}
	beside, ok := p.order.done(t)
	p.wake.Broadcast()
	if ok && p.allowed(beside) {
		p.busy++
		return beside, true
	}
	if ok {
		p.order.push(beside)
	}
	return p.nextTile()
}

// allowed reports whether a tile is still to be visited. After a failure those before
// it are, since one of them may fail too.
func (p *pairPass) allowed(t tile) bool {
	return !p.stopped && (p.failed == nil || p.order.place(t) < p.worst)
}

func (p *pairPass) nextTile() (tile, bool) {
	for {
		if t, ok := p.order.first(); ok && p.allowed(t) {
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

// tile is where block k of the side with fewer blocks meets block (k+round) mod b of the
// other, of b blocks.
type tile struct{ round, k int64 }

// tileOrder knows which tiles may be visited: those whose predecessors are done.
type tileOrder struct {
	short, long int64 // numbers of blocks
	rounds      int64
	turned      bool    // the row blocks are the longer side
	half        bool    // one of each pair
	round       []int64 // for each short block, the round of its next tile
	turn        []int64 // for each long block, the short block of its next tile, or -1
	ready       tileHeap
}

func newTileOrder(bi, bj int64, upper bool) *tileOrder {
	o := &tileOrder{short: min(bi, bj), long: max(bi, bj), turned: bi > bj, half: upper}
	o.rounds = o.long
	if o.half {
		o.rounds = o.long/2 + 1
	}
	o.round, o.turn = make([]int64, o.short), make([]int64, o.long)
	for l := range o.turn {
		o.turn[l] = min(int64(l), o.short-1)
	}
	for k := range o.short {
		o.ready = append(o.ready, tile{0, k})
	}
	return o
}

// tiles returns the number of tiles.
func (o *tileOrder) tiles() int64 {
	if o.half {
		return o.long * (o.long + 1) / 2
	}
	return o.short * o.long
}

// place returns the place of a tile in the order of rounds.
func (o *tileOrder) place(t tile) int64 { return t.round*o.short + t.k }

// blocks returns the row block and the column block of a tile.
func (o *tileOrder) blocks(t tile) (row, col int64) {
	l := (t.k + t.round) % o.long
	if o.turned {
		return l, t.k
	}
	return t.k, l
}

// exists reports whether a tile is visited: the last round of an even number of blocks
// would meet each pair twice.
func (o *tileOrder) exists(t tile) bool {
	return t.round < o.rounds && !(o.half && 2*t.round == o.long && t.k >= t.round)
}

// isReady reports whether it is the turn of a tile with both its blocks.
func (o *tileOrder) isReady(t tile) bool {
	return o.exists(t) && o.round[t.k] == t.round && o.turn[(t.k+t.round)%o.long] == t.k
}

// done takes note of a tile that was visited. beside is the next one of the same column
// block, if it is ready; the next one of the row block is pushed.
func (o *tileOrder) done(t tile) (beside tile, ok bool) {
	along := tile{t.round + 1, t.k}      // the same short block
	across := tile{t.round + 1, t.k - 1} // the same long block
	if t.k == 0 {
		across = tile{t.round + 1 + o.long - o.short, o.short - 1}
	}
	o.round[t.k]++
	l := (t.k + t.round) % o.long
	o.turn[l] = -1
	if o.exists(across) {
		o.turn[l] = across.k
	}
	beside, other := across, along
	if o.turned {
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

// first returns the ready tile that is first in the order of rounds.
func (o *tileOrder) first() (tile, bool) {
	if len(o.ready) == 0 {
		return tile{}, false
	}
	return o.ready[0], true
}

// tileHeap is tiles, the first in the order of rounds on top.
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

// pairBlock is a block of an exact pass and where it comes from.
type pairBlock struct {
	src   Gatherer
	n     int64
	there int64 // the number of the block that is there, or -1
	room  blas64.General
	block Block
}

func newPairBlock(src Gatherer) *pairBlock {
	return &pairBlock{src: src, n: src.Info().Rows, there: -1}
}

// rowsInMemory is implemented by sources that lend their rows.
type rowsInMemory interface {
	lend(first int64, n int) blas64.General
}

// fetch gets the block with the given number, unless it is there.
func (b *pairBlock) fetch(ctx context.Context, index int64) error {
	if index == b.there {
		return nil
	}
	first := index * tilesize.PairRows
	n := int(min(tilesize.PairRows, b.n-first))
	b.block.Index, b.block.Start, b.there = index, first, index
	if m, ok := b.src.(rowsInMemory); ok {
		b.block.X = m.lend(first, n)
		return nil
	}
	if b.room.Rows == 0 {
		b.room = matrix.New(tilesize.PairRows, len(b.src.Info().Columns))
	}
	b.block.X = matrix.Rows(b.room, 0, n)
	b.there = -1
	err := b.gather(ctx, first)
	if err == nil {
		b.there = index
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
