package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
)

// Fold reads src once and folds its blocks into one accumulator. newAcc makes
// an empty accumulator; worker is called once per worker and returns the
// function that adds a block to an empty accumulator, and may own scratch
// memory. Accumulators are merged in the fixed tree of [Forest], so the result
// does not depend on the number of threads. name names the pass in progress
// reports.
func Fold[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, newAcc func() A, worker func() func(acc A, b *Block) error) (A, error) {
	if e.Run.keeps(src.Info()) {
		return foldKept(ctx, e, name, src, newAcc, worker)
	}
	return foldWhole(ctx, e, name, src, newAcc, worker)
}

// foldWhole is [Fold] without states.
func foldWhole[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, newAcc func() A, worker func() func(acc A, b *Block) error) (A, error) {
	var none A
	forest := NewForest(newAcc)
	if err := foldBlocks(ctx, e, name, src, forest, allBlocks, worker, nil); err != nil {
		return none, err
	}
	return forest.Finish(forest.Blocks())
}

// blockRange is the blocks first, first+1, … end-1 of a source.
type blockRange struct{ first, end int64 }

// allBlocks is every block of a source, however many it has.
var allBlocks = []blockRange{{0, math.MaxInt64}}

// foldBlocks does the part of a [Fold] that are the blocks in ranges, which ascend and
// do not overlap: it adds them to forest, which has none of them, and reads no rows but
// theirs. Ranges may reach beyond the last block. added, if not nil, is called after
// each block, or few, on the calling goroutine; the forest may then be written down.
// After an error the forest holds some of the blocks before it and may hold some after.
func foldBlocks[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, forest *Forest[A], ranges []blockRange,
	worker func() func(acc A, b *Block) error, added func() error) error {
	type leaf struct {
		block *Block
		acc   A
	}
	accs := newSpares(forest.newAcc, 2*(e.Workers()+lookahead))
	forest.spent = accs.put
	pass := newPass(e, name, src, false)
	pass.ranges = ranges
	return schedule(ctx, e.Workers(), pass.produce,
		func() func(context.Context, *Block) (leaf, error) {
			add := worker()
			return func(_ context.Context, b *Block) (leaf, error) {
				acc := accs.get()
				return leaf{b, acc}, add(acc, b)
			}
		},
		func(l leaf) error {
			defer pass.done(l.block)
			err := forest.Add(l.block.Index, l.acc)
			if err == nil && added != nil {
				err = added()
			}
			return err
		})
}

// Map reads src once, turns each block of B rows into B rows with cols columns,
// and hands them to emit in row order on the calling goroutine. dst has as many
// rows as the block and holds anything when the worker gets it. The block given
// to emit carries its kept columns when kept is true.
func Map(ctx context.Context, e Engine, name string, src Source, cols int, kept bool,
	worker func() func(dst blas64.General, b *Block) error, emit func(b *Block, out blas64.General) error) error {
	type mapped struct {
		block *Block
		out   blas64.General
	}
	pass := newPass(e, name, src, kept)
	outs := make(chan blas64.General, cap(pass.free))
	for range cap(outs) {
		outs <- NewMatrix(pass.blockRows, cols)
	}
	return schedule(ctx, e.Workers(), pass.produce,
		func() func(context.Context, *Block) (mapped, error) {
			do := worker()
			return func(_ context.Context, b *Block) (mapped, error) {
				out := <-outs
				return mapped{b, out}, do(RowSlice(out, 0, b.X.Rows), b)
			}
		},
		func(m mapped) error {
			defer pass.done(m.block)
			defer func() { outs <- m.out }()
			return emit(m.block, RowSlice(m.out, 0, m.block.X.Rows))
		})
}

// pass reads blocks of one source in their order.
type pass struct {
	engine    Engine
	name      string
	src       Source
	info      Info
	blockRows int
	ranges    []blockRange
	free      chan *Block // buffers nobody uses
	rowsDone  int64
	watch     *watch
}

func newPass(e Engine, name string, src Source, kept bool) *pass {
	info := src.Info()
	d := len(info.Columns)
	p := &pass{engine: e, name: name, src: src, info: info, blockRows: e.blockRows(d), ranges: allBlocks, watch: newWatch()}
	if info.Rows >= 0 { // a short source needs no full block
		p.blockRows = int(max(1, min(int64(p.blockRows), info.Rows)))
	}
	p.free = make(chan *Block, e.Workers()+lookahead+1)
	for range cap(p.free) {
		b := &Block{X: NewMatrix(p.blockRows, d)}
		if kept {
			b.Kept = keptColumns(info.Kept)
		}
		p.free <- b
	}
	return p
}

// keptColumns makes empty columns for the fields.
func keptColumns(fields []Field) []Column {
	cols := make([]Column, len(fields))
	for i, f := range fields {
		cols[i].Kind = f.Kind
	}
	return cols
}

// done takes back a block and reports progress.
func (p *pass) done(b *Block) {
	p.rowsDone += int64(b.X.Rows)
	p.engine.report(p.name, p.rowsDone, p.info.Rows)
	p.free <- b
}

// produce reads the source on a goroutine of its own, so that a read that never
// returns can be given up: a read of a file that stalls, and a read of a pipe
// when the pass is over. The end of a pass does wait for a read of a file, which
// the caller may want to close or unmap next.
func (p *pass) produce(ctx context.Context, yield func(*Block) bool) error {
	failed := make(chan error, 1)
	go func() {
		failed <- recovered(func() error { return p.readAll(ctx, yield) })
	}()
	tick := time.NewTicker(stallLimit / 16)
	defer tick.Stop()
	var over <-chan struct{}
	if p.info.Once {
		over = ctx.Done()
	}
	for {
		select {
		case err := <-failed:
			return err
		case <-over:
			if !p.watch.forbid() {
				return <-failed
			}
			return context.Cause(ctx)
		case <-tick.C:
			if !p.info.Once && p.watch.giveUp(stallLimit) {
				return fmt.Errorf("%s: no progress for %v while reading; the file or its disk hangs", p.info.Name, stallLimit)
			}
		}
	}
}

func (p *pass) readAll(ctx context.Context, yield func(*Block) bool) error {
	ctx = asOnePass(ctx)
	for _, blocks := range p.ranges {
		if err := p.readRange(ctx, blocks, yield); err != nil {
			return err
		}
	}
	return nil
}

// readRange reads some blocks. After the last block of a source it makes sure that no
// rows follow.
func (p *pass) readRange(ctx context.Context, blocks blockRange, yield func(*Block) bool) (err error) {
	if all := p.info.Rows; all >= 0 {
		count := (all + int64(p.blockRows) - 1) / int64(p.blockRows)
		if blocks.end >= count {
			blocks.end = math.MaxInt64 // to the end, whatever is there
		}
		if blocks.first > 0 && blocks.first >= count {
			return nil
		}
	}
	total := blocks.first * int64(p.blockRows)
	r, err := p.open(ctx, total)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for index := blocks.first; index < blocks.end; index++ {
		var b *Block
		select {
		case b = <-p.free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		n, err := p.readBlock(r, b)
		total += int64(n)
		if p.info.Rows >= 0 && total > p.info.Rows {
			return excessError(p.info)
		}
		if n > 0 {
			b.Index, b.Start = index, index*int64(p.blockRows)
			if !yield(b) {
				return context.Cause(ctx)
			}
		}
		if err == io.EOF {
			return p.checkTotal(total)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open opens the source at a row. A reader that comes after the pass has given up is
// closed.
func (p *pass) open(ctx context.Context, first int64) (Reader, error) {
	var r Reader
	var failed error
	err := p.watch.call(func() error {
		r, failed = p.src.Open(ctx, first)
		return failed
	})
	if err == errAbandoned && failed == nil && r != nil {
		r.Close()
	}
	return &watchedReader{Reader: r, watch: p.watch, name: p.info.Name}, err
}

// readBlock fills one block, or what is left of the source.
func (p *pass) readBlock(r Reader, b *Block) (n int, err error) {
	b.X.Rows = p.blockRows
	b.batch = Batch{X: b.X, Kept: b.Kept}
	n, err = ReadFull(r, &b.batch)
	if err == errAbandoned {
		return 0, err // nobody is there to take the first rows of the block
	}
	b.X.Rows = n
	return n, err
}

func (p *pass) checkTotal(total int64) error {
	if total < p.info.Rows {
		return promiseError(p.info, total)
	}
	return nil
}

// promiseError says that a source did not give the rows it had promised.
func promiseError(info Info, got int64) error {
	return fmt.Errorf("%s: promised %d rows and gave %d: the file changed or is damaged", info.Name, info.Rows, got)
}

func excessError(info Info) error {
	return fmt.Errorf("%s: promised %d rows and gives more: the file changed or is damaged", info.Name, info.Rows)
}

// ReadFull reads until dst is full or the source ends. Unlike the Read of a
// single reader it may be given readers that return fewer rows than asked for
// without an error. It returns io.EOF only with the last rows or after them.
func ReadFull(r Reader, dst *Batch) (n int, err error) {
	if dst.Kept != nil {
		return readFullKept(r, dst)
	}
	if dst.X.Rows > 0 { // mostly all there is to do
		n, err = r.Read(dst)
	}
	for n < dst.X.Rows && err == nil {
		var k int
		k, err = r.Read(&Batch{X: RowSlice(dst.X, n, dst.X.Rows-n)})
		n += k
	}
	return n, err
}

// readFullKept is ReadFull for batches with kept columns, which each read
// truncates: they are gathered behind one another.
func readFullKept(r Reader, dst *Batch) (n int, err error) {
	for i := range dst.Kept {
		dst.Kept[i].Reset()
	}
	part := make([]Column, len(dst.Kept))
	for i, c := range dst.Kept {
		part[i].Kind = c.Kind
	}
	for n < dst.X.Rows && err == nil {
		var k int
		k, err = r.Read(&Batch{X: RowSlice(dst.X, n, dst.X.Rows-n), Kept: part})
		for i := range part {
			dst.Kept[i].Append(&part[i], 0, k)
		}
		n += k
	}
	return n, err
}
