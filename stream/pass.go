package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	type leaf struct {
		block *Block
		acc   A
	}
	var none A
	forest, accs := NewForest(newAcc), newSpares(newAcc, 2*(e.Workers()+lookahead))
	forest.spent = accs.put
	pass := newPass(e, name, src, false)
	err := schedule(ctx, e.Workers(), pass.produce,
		func() func(context.Context, *Block) (leaf, error) {
			add := worker()
			return func(_ context.Context, b *Block) (leaf, error) {
				acc := accs.get()
				return leaf{b, acc}, add(acc, b)
			}
		},
		func(l leaf) error {
			defer pass.done(l.block)
			return forest.Add(l.block.Index, l.acc)
		})
	if err != nil {
		return none, err
	}
	return forest.Finish(forest.Blocks())
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

// pass reads the blocks of one source from first to last.
type pass struct {
	engine    Engine
	name      string
	src       Source
	info      Info
	blockRows int
	free      chan *Block // buffers nobody uses
	rowsDone  int64
	watch     *watch
}

func newPass(e Engine, name string, src Source, kept bool) *pass {
	info := src.Info()
	d := len(info.Columns)
	p := &pass{engine: e, name: name, src: src, info: info, blockRows: e.blockRows(d), watch: newWatch()}
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

func (p *pass) readAll(ctx context.Context, yield func(*Block) bool) (err error) {
	r, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	total := int64(0)
	for index := int64(0); ; index++ {
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
}

// open opens the source. A reader that comes after the pass has given up is
// closed.
func (p *pass) open(ctx context.Context) (Reader, error) {
	var r Reader
	var failed error
	err := p.watch.call(func() error {
		r, failed = p.src.Open(ctx)
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
